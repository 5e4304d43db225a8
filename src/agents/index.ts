import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { clientOrigin } from '../http/server/origin.ts'
import { overview } from './overview.ts'

/** Serves what a language model reads first: `/llms.txt`. */
export function mountAgents(app: FastifyInstance, { config }: Deps): void {
  const originOf = clientOrigin(config.TRUST_PROXY)
  app.get('/llms.txt', (request, reply) => {
    const at = `${originOf(request.raw) ?? ''}${config.BASE_PATH}`
    return reply
      .header('cache-control', 'no-cache')
      .header('x-content-type-options', 'nosniff')
      .type('text/plain; charset=utf-8')
      .send(overview(config.DASHBOARD_NAME, at))
  })
}
