import { Router } from 'express'
import { randomUUID } from 'node:crypto'
import type { Todo, TodoDraft } from './types.js'

const all = new Map<string, Todo>()

export const router = Router()

router.get('/todos', (_req, res) => {
  res.json([...all.values()])
})

router.post('/todos', (req, res) => {
  const draft = req.body as TodoDraft
  if (!draft.title) {
    res.status(422).json({ code: 'title_missing' })
    return
  }
  const todo: Todo = { id: randomUUID(), done: false, ...draft }
  all.set(todo.id, todo)
  res.status(201).json(todo)
})

router.get('/todos/:id', (req, res) => {
  const todo = all.get(req.params.id)
  if (!todo) {
    res.status(404).json({ code: 'todo_not_found' })
    return
  }
  res.json(todo)
})

router.delete('/todos/:id', (req, res) => {
  all.delete(req.params.id)
  res.status(204).end()
})
