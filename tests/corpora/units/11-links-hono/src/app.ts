import { Hono } from 'hono'
import { logger } from 'hono/logger'
import links from './links'

const app = new Hono()

app.use('*', logger())
app.route('/links', links)

export default app
