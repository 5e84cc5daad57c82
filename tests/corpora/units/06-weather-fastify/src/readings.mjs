const byStation = new Map()

export async function readings(app) {
  app.post('/', async (request, reply) => {
    const list = byStation.get(request.params.id) ?? []
    list.push(request.body)
    byStation.set(request.params.id, list)
    return reply.code(201).send({ taken: 1 })
  })

  app.get('/latest', async (request, reply) => {
    const last = byStation.get(request.params.id)?.at(-1)
    if (last === undefined) {
      reply.code(404)
      return { code: 'no_reading' }
    }
    return last
  })
}
