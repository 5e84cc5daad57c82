import { Router } from 'express'

const members = Router({ mergeParams: true })
const teams = new Map()

const of = (teamId) => teams.get(teamId) ?? teams.set(teamId, new Map()).get(teamId)

const list = (req, res) => res.json([...of(req.params.teamId).values()])

const add = async (req, res) => {
  const member = { id: String(of(req.params.teamId).size), ...req.body }
  of(req.params.teamId).set(member.id, member)
  res.status(201).json(member)
}

members.get('/', list)
members.post('/', add)
members.get('/:memberId', (req, res) => {
  res.json(of(req.params.teamId).get(req.params.memberId))
})
members.delete('/:memberId', (req, res) => {
  const gone = of(req.params.teamId).delete(req.params.memberId)
  res.sendStatus(gone ? 204 : 404)
})

export default members
