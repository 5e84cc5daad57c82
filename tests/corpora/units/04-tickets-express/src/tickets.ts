type Ticket = { id: string; team: string; assignee?: string }

const tickets = new Map<string, Ticket>()

export const list = async (team: string) => [...tickets.values()].filter((one) => one.team === team)

export const find = async (id: string) => tickets.get(id)

export const create = async (draft: Omit<Ticket, 'id'>) => {
  const ticket = { id: `t${tickets.size}`, ...draft }
  tickets.set(ticket.id, ticket)
  return ticket
}

export const assign = async (id: string, assignee: string) => {
  const ticket = tickets.get(id)
  if (ticket) ticket.assignee = assignee
  return ticket
}
