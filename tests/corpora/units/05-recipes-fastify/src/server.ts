import Fastify from 'fastify'
import recipes from './recipes.js'

const server = Fastify({ logger: true })

server.register(recipes, { prefix: '/api/v1' })

server.get('/ingredients', async () => ['flour', 'salt', 'yeast'])

await server.listen({ port: 4300, host: '127.0.0.1' })
