import type { Express } from 'express'
import { assign, create, find, list } from './tickets'

export function addTicketRoutes(app: Express): void {
  app.get('/tickets', async (req, res) => {
    res.json(await list(String(req.get('x-team') ?? '')))
  })

  app.post('/tickets', async (req, res) => {
    res.status(201).json(await create(req.body))
  })

  app.get('/tickets/:ticket', async (req, res) => {
    const ticket = await find(req.params.ticket)
    if (ticket === undefined) {
      res.status(404).json({ code: 'gone' })
    } else {
      res.status(200).json(ticket)
    }
  })

  app.put('/tickets/:ticket/assignee', async (req, res) => {
    const ticket = await assign(req.params.ticket, req.body.name)
    if (ticket === undefined) res.status(404).json({ code: 'gone' })
    else res.json(ticket)
  })
}
