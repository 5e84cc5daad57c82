import express from 'express'
import members from './members.mjs'

const app = express()

app.use(express.json())
app.use('/teams/:teamId/members', members)
app.use((error, req, res, next) => {
  if (res.headersSent) return next(error)
  res.status(500).json({ code: 'broken' })
})

export default app
