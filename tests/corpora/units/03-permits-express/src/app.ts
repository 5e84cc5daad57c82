import express, { type Request, type Response } from 'express'
import { BASE, PERMITS } from './paths'
import type { Permit, PermitRequest, Zone } from './model'

const app = express()
const permits: Permit[] = []
const zones: Zone[] = []

app.use(express.json())

app.get(PERMITS, (_req: Request, res: Response) => {
  res.json(permits)
})

app.post(PERMITS, (req: Request<object, Permit, PermitRequest>, res: Response) => {
  const { plate, zone } = req.body
  const permit: Permit = { id: `p-${permits.length}`, plate, zone, validUntil: '2027-12-31' }
  permits.push(permit)
  res.status(201).json(permit)
})

app.post(`${PERMITS}/:id/renew`, (req: Request, res: Response) => {
  const permit = permits.find((one) => one.id === req.params.id)
  if (!permit) return void res.sendStatus(404)
  res.status(201).json(permit)
})

app.get(`${BASE}/zones`, (_req: Request, res: Response) => {
  res.json(zones)
})

export default app
