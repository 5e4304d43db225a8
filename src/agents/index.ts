import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { Edge } from '../http/edge.ts'
import { clientOrigin } from '../http/server/origin.ts'
import type { Mcp } from './mcp.ts'
import { isAllowedOrigin } from './origins.ts'
import { overview } from './overview.ts'

/** Serves programs that read for people: `/llms.txt`, and tools by MCP at `/mcp`. */
export function mountAgents(
  app: FastifyInstance,
  { config }: Deps,
  graph: Graph,
  edge: Edge,
): void {
  const originOf = clientOrigin(config.TRUST_PROXY)
  app.get('/llms.txt', (request, reply) => {
    const at = `${originOf(request.raw) ?? ''}${config.BASE_PATH}`
    return reply
      .header('cache-control', 'no-cache')
      .header('x-content-type-options', 'nosniff')
      .type('text/plain; charset=utf-8')
      .send(overview(config.DASHBOARD_NAME, at))
  })
  let opened: Promise<Mcp> | undefined
  const open = async () => {
    const { Mcp } = await import('./mcp.ts')
    return new Mcp({ graph, edge }, config.DASHBOARD_NAME)
  }
  app.post('/mcp', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    const { origin } = request.headers
    if (!isAllowedOrigin(origin, config)) {
      const message = 'Pages of this origin may not call /mcp. MCP_HOSTS lists the hosts that may.'
      const error = { code: -32000, message }
      return reply.code(403).send({ jsonrpc: '2.0', error, id: null })
    }
    opened ??= open()
    const answer = await (await opened).answer(request.body, { request, reply })
    reply.code(answer.status)
    for (const [name, value] of answer.headers) reply.header(name, value)
    return reply.send(answer.body ? await answer.text() : undefined)
  })
}
