import express from 'express'
import { addTicketRoutes } from './routes'

const app = express()
app.disable('x-powered-by')
app.use(express.json({ limit: '64kb' }))
addTicketRoutes(app)

export default app
