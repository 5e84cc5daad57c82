import express from 'express'
import { router as todos } from './todos.js'

export const app = express()

app.use(express.json())
app.use('/api', todos)
