import Router from '@koa/router'

export const people = new Router()
const taken = new Map()

people.get('/', (ctx) => {
  ctx.body = [...(taken.get(ctx.params.shift) ?? [])]
})

people.put('/:person', (ctx) => {
  const names = taken.get(ctx.params.shift) ?? new Set()
  if (names.size >= 4) {
    ctx.status = 409
    ctx.body = { code: 'shift_full' }
    return
  }
  taken.set(ctx.params.shift, names.add(ctx.params.person))
  ctx.status = 204
})
