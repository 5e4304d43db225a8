import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { EdgeCache } from './cache/edge-cache.ts'
import { mountStaticFiles } from './static-files.ts'

/** The page runs its own script, and talks to this gateway, and nothing else. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

/** Serves the dashboard, whose views have separate paths: the build's output for src/web, next to the program. */
export const mountDashboard = (app: FastifyInstance, edge: EdgeCache): void =>
  mountStaticFiles(app, edge, {
    url: '/dashboard',
    directory: join(import.meta.dirname, 'web'),
    hashed: 'assets/',
    page: 'page.html',
    headers: ['content-security-policy', POLICY, 'referrer-policy', 'no-referrer'],
  })
