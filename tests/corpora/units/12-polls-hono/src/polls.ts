import { Hono } from 'hono'

const polls: { question: string; votes: string[]; closed: boolean }[] = []

export const app = new Hono().basePath('/api')

app
  .get('/polls', (c) => c.json(polls))
  .post('/polls', async (c) => {
    const { question } = await c.req.json()
    const poll = { question, votes: [], closed: false }
    polls.push(poll)
    return c.json(poll, 201)
  })

app
  .post('/polls/:poll/votes', async (c) => {
    const poll = polls[Number(c.req.param('poll'))]
    if (poll.closed) return c.json({ code: 'closed' }, 410)
    poll.votes.push(await c.req.text())
    return c.json(poll, 201)
  })
  .put('/polls/:poll/votes', async (c) => {
    const poll = polls[Number(c.req.param('poll'))]
    poll.votes = [await c.req.text()]
    return c.json(poll)
  })

app.get('/polls/:poll/result', (c) => {
  const count = new Map<string, number>()
  for (const vote of polls[Number(c.req.param('poll'))].votes) {
    count.set(vote, (count.get(vote) ?? 0) + 1)
  }
  return c.json(Object.fromEntries(count))
})
