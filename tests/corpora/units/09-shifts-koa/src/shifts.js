import Router from '@koa/router'
import { people } from './people.js'

export const shifts = new Router()
const week = []

shifts.get('/', async (ctx) => {
  ctx.body = week
})

shifts.post('/', async (ctx) => {
  week.push(ctx.request.body)
  ctx.status = 201
  ctx.body = ctx.request.body
})

shifts.use('/:shift/people', people.routes())
