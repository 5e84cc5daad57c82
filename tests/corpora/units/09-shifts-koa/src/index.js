import Koa from 'koa'
import Router from '@koa/router'
import bodyParser from 'koa-bodyparser'
import { shifts } from './shifts.js'

const api = new Router({ prefix: '/api' })
api.use('/shifts', shifts.routes(), shifts.allowedMethods())

export const app = new Koa()
app.use(bodyParser())
app.use(api.routes())
