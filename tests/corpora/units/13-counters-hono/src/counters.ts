import { Hono } from 'hono'
import type { Counter } from './counter'

const values: Record<string, number> = {}
const counterOf = (name: string): Counter => ({ name, value: values[name] ?? 0 })

export const counters = new Hono()

counters.get('/:name', (c) => c.json(counterOf(c.req.param('name'))))

counters.post('/:name/ticks', (c) => {
  const name = c.req.param('name')
  values[name] = counterOf(name).value + 1
  return c.json(counterOf(name), 201)
})

/*
counters.put('/:name', async (c) => {
  values[c.req.param('name')] = await c.req.json()
  return c.json(counterOf(c.req.param('name')))
})
*/

counters.delete('/:name', (c) => {
  delete values[c.req.param('name')]
  return c.body(null, 204)
})
