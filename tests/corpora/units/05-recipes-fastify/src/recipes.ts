import type { FastifyInstance } from 'fastify'
import type { Recipe, RecipeDraft } from './recipe.js'

const book = new Map<string, Recipe>()

export default async function recipes(app: FastifyInstance) {
  app.get('/recipes', async () => [...book.values()])

  app.post<{ Body: RecipeDraft }>('/recipes', async (request, reply) => {
    const slug = request.body.title.toLowerCase().replaceAll(' ', '-')
    const recipe: Recipe = { slug, ...request.body }
    book.set(slug, recipe)
    return reply.code(201).send(recipe)
  })

  app.get<{ Params: { slug: string } }>('/recipes/:slug', async (request, reply) => {
    const recipe = book.get(request.params.slug)
    if (!recipe) return reply.code(404).send({ code: 'unknown_recipe' })
    return recipe
  })
}
