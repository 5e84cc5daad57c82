import Router from '@koa/router'
import type { Note, NoteDraft } from './note'

export const notes = new Router({ prefix: '/notes' })

let shelf: Note[] = []

notes.get('/', (ctx) => {
  ctx.body = shelf
})

notes.post('/', (ctx) => {
  const draft = ctx.request.body as NoteDraft
  const note: Note = { id: shelf.length + 1, pinned: false, ...draft }
  shelf.push(note)
  ctx.status = 200
  ctx.body = note
})

notes.put('/:id', (ctx) => {
  const note = shelf.find((one) => one.id === Number(ctx.params.id))
  ctx.assert(note, 404)
  Object.assign(note, ctx.request.body)
  ctx.body = note
})

notes.post('/:id/pin', (ctx) => {
  const note = shelf.find((one) => one.id === Number(ctx.params.id))
  ctx.assert(note, 404)
  note.pinned = true
  ctx.body = note
})

notes.delete('/:id', (ctx) => {
  const left = shelf.filter((one) => one.id !== Number(ctx.params.id))
  if (left.length === shelf.length) ctx.throw(404)
  shelf = left
  ctx.status = 204
})
