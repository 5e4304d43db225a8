import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { EdgeCache } from './cache/edge-cache.ts'
import { mountStaticFiles } from './static-files.ts'

/** The page runs its own script, and sends requests to this gateway only. Swagger UI adds styles. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

/** Serves the interactive REST docs at /docs/rest: the build's output for src/rest-docs, next to the program. */
export function mountRestDocs(app: FastifyInstance, edge: EdgeCache): void {
  // Its former address.
  app.get('/docs/rest/json', (_request, reply) => reply.redirect('/openapi.json'))
  mountStaticFiles(app, edge, {
    url: '/docs/rest',
    directory: join(import.meta.dirname, 'rest-docs'),
    hashed: 'assets/',
    page: (path) => (path === '' ? 'page.html' : path),
    headers: ['content-security-policy', POLICY, 'referrer-policy', 'no-referrer'],
  })
}
