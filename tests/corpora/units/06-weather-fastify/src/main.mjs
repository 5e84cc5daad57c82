import fastify from 'fastify'
import { readings } from './readings.mjs'

const app = fastify()
const stations = new Map()

app.route({
  method: 'GET',
  url: '/stations',
  handler: async () => [...stations.values()],
})

app.route({
  method: ['PUT', 'PATCH'],
  url: '/stations/:id',
  handler: async (request) => {
    const before = request.method === 'PATCH' ? stations.get(request.params.id) : {}
    const station = { ...before, ...request.body, id: request.params.id }
    stations.set(station.id, station)
    return station
  },
})

app.route({
  method: 'DELETE',
  url: '/stations/:id',
  handler: async (request, reply) => {
    stations.delete(request.params.id)
    return reply.code(204).send()
  },
})

app.register(readings, { prefix: '/stations/:id/readings' })

export { app }
