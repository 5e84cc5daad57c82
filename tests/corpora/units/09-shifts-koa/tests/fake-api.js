import Router from '@koa/router'

// A stand-in for the pages' tests: it has more than the real one.
const router = new Router({ prefix: '/api' })
router.get('/shifts', (ctx) => {
  ctx.body = []
})
router.delete('/shifts/:id', (ctx) => {
  ctx.status = 204
})

export default router
