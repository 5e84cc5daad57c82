import express from 'express'
import { expect, it } from 'vitest'
import { addTicketRoutes } from './routes'

const app = express()
app.get('/probe', (_req, res) => {
  res.send('ok')
})
app.delete('/tickets/:id', (_req, res) => {
  res.status(204).end()
})
addTicketRoutes(app)

it('keeps out of the way of other routes', () => {
  expect(app).toBeTypeOf('function')
})
