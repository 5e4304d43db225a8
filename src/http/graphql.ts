import type { FastifyInstance } from 'fastify'
import type { Graph } from '../graphql/execute.ts'
import { createGraphQLServer } from '../graphql/yoga.ts'
import { adminOf } from './admin.ts'
import { graphiqlPage, wantsPage } from './graphiql.ts'

/** Serves GraphQL over HTTP at /graphql, and GraphiQL to browsers. */
export function mountGraphQL(
  app: FastifyInstance,
  { graph, adminToken }: { graph: Graph; adminToken: string | undefined },
): void {
  const server = createGraphQLServer(graph)
  const page = graphiqlPage()
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    async handler(request, reply) {
      if (wantsPage(request)) return page.send(request, reply)
      const headers = new Headers()
      for (const [name, value] of Object.entries(request.headers))
        if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
      const body =
        request.body instanceof Uint8Array && request.method === 'POST' ? new Uint8Array(request.body) : undefined
      const response = await server.fetch(
        `http://gateway${request.url}`,
        { method: request.method === 'HEAD' ? 'GET' : request.method, headers, ...(body ? { body } : {}) },
        { requestId: request.id, admin: adminOf(request.headers, adminToken) },
      )
      reply.code(response.status)
      if (request.method === 'POST') reply.header('cache-control', 'no-store')
      for (const [name, value] of response.headers) if (name !== 'content-length') reply.header(name, value)
      return reply.send(await response.text())
    },
  })
}
