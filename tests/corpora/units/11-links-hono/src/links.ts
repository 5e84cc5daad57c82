import { Hono } from 'hono'
import type { Link, LinkDraft } from './types'

const links = new Hono()
const all = new Map<number, Link>()
const hits = new Map<number, number>()

links.post('/', async (c) => {
  const draft = await c.req.json<LinkDraft>()
  if ([...all.values()].some((one) => one.alias === draft.alias)) {
    return c.json({ code: 'alias_taken' }, 409)
  }
  const link: Link = { id: all.size + 1, ...draft }
  all.set(link.id, link)
  return c.json(link, 200)
})

links.get('/:id{[0-9]+}', (c) => {
  const link = all.get(Number(c.req.param('id')))
  return link ? c.json(link) : c.json({ code: 'no_such_link' }, 404)
})

links.delete('/:id{[0-9]+}', (c) => {
  all.delete(Number(c.req.param('id')))
  return c.body(null, 204)
})

links.get('/:id{[0-9]+}/hits', (c) => {
  return c.json({ total: hits.get(Number(c.req.param('id'))) ?? 0 })
})

export default links
