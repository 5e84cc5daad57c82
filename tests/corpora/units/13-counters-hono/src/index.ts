import { Hono } from 'hono'
import { counters } from './counters'

const PREFIX = '/counters'
const app = new Hono()

app.get('/health', (c) => c.json({ up: true }))
app.route(PREFIX, counters)

app.notFound((c) => c.json({ code: 'unknown_path', path: c.req.path }, 404))

export default { port: 4505, fetch: app.fetch }
