const Koa = require('koa')
const Router = require('@koa/router')
const albums = require('./albums')

const app = new Koa()
const router = new Router()

// The first argument is the route's name, by which router.url() builds links.
router.get('albums', '/albums', albums.list)
router.get('album', '/albums/:id', albums.show)
router.patch('album-change', '/albums/:id', albums.change)
router.post('pictures', '/albums/:id/pictures', albums.addPicture)

const hint = 'DELETE /albums/:id/pictures/:picture comes with the next release'

app.use(async (ctx, next) => {
  ctx.set('x-hint', hint)
  await next()
})
app.use(router.routes()).use(router.allowedMethods())

module.exports = app
