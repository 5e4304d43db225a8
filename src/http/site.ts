import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { EdgeCache } from './cache/edge-cache.ts'
import { mountStaticFiles } from './static-files.ts'

const HEADERS = [
  'content-security-policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy',
  'no-referrer',
]

/** Serves the documentation at /docs: the build's output for src/site, next to the program. */
export const mountSite = (app: FastifyInstance, edge: EdgeCache): void =>
  mountStaticFiles(app, edge, {
    url: '/docs',
    directory: join(import.meta.dirname, 'docs'),
    hashed: 'assets/',
    page: (path) => `${path || 'index'}.html`,
    notFoundPage: '404.html',
    headers: HEADERS,
  })
