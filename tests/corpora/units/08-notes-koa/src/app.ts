import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { notes } from './notes'

const app = new Koa()

app.use(bodyParser())
app.use(notes.routes())
app.use(notes.allowedMethods())

export default app
