import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import pTimeout from 'p-timeout'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { newestDate } from '../domain/distribution/dates.ts'
import type { EdgeCache } from './cache/edge-cache.ts'
import { exchangeOf } from './exchange.ts'
import { openApiDocument } from './openapi.ts'
import { escapeHtml, placed, withBase, withIdentity } from './page-text.ts'
import { clientOrigin } from './server/origin.ts'
import { mountStaticFiles, type StaticFiles } from './static-files.ts'

// Documents do not wait longer for the newest date of the store.
const DATE_MS = 2000

// Pages run their own scripts, and send requests to this gateway only.
const policy = (styles: string, forms: string, ancestors: string, logos = '') =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:${logos}; ` +
  `font-src 'self'; connect-src 'self'; base-uri 'none'; form-action ${forms}; frame-ancestors ` +
  `${ancestors}`

const headersOf = (policy: string) => [
  'content-security-policy',
  policy,
  'referrer-policy',
  'no-referrer',
]

const builtIn = (name: string) => ({
  directory: join(import.meta.dirname, name),
  hashed: 'assets/',
})

/**
 * Serves the home page, the documentation, the REST docs with their OpenAPI document, and the
 * dashboard.
 * @param describe writes into a page of the dashboard how a link to it looks elsewhere
 */
export function mountPages(
  app: FastifyInstance,
  cache: EdgeCache,
  { config, store }: Deps,
  describe: NonNullable<StaticFiles['forClient']>,
): void {
  const basePath = config.BASE_PATH
  const originOf = clientOrigin(config.TRUST_PROXY)
  mountHome(app, config)
  mountStaticFiles(app, cache, {
    url: '/docs',
    ...builtIn('docs'),
    page: (path) => `${path || 'index'}.html`,
    notFoundPage: '404.html',
    async forClient({ name, key, body }, request, reply) {
      const caller = exchangeOf(request.raw, reply.raw)
      const origin = originOf(request.raw)
      const text = async (newest: Date | null) => {
        const written = withIdentity(body.toString(), config)
        return { name, status: 200, json: placed(written, { origin, basePath, newest }) }
      }
      const compute = async () => text(await newestDate(store.pool))
      const answer = cache.answer(`document ${origin} ${key}`, compute, caller)
      return pTimeout(answer, { milliseconds: DATE_MS }).catch(() =>
        cache.answer(undefined, () => text(null), caller),
      )
    },
    headers: headersOf(policy("'self'", "'self'", "'none'")),
  })
  mountStaticFiles(app, cache, {
    url: '/docs/rest',
    ...builtIn('rest-docs'),
    page: (path) => (path === '' ? 'page.html' : path),
    complete: (html) => withBase(withIdentity(html, config), basePath),
    // Swagger UI adds styles.
    headers: headersOf(policy("'self' 'unsafe-inline'", "'none'", "'self'")),
  })
  // The previous addresses of the page and the document.
  app.get('/docs/rest-reference', (_request, reply) => reply.redirect(`${basePath}/docs/rest`))
  app.get('/docs/rest/json', (_request, reply) => reply.redirect(`${basePath}/openapi.json`))
  let document: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(basePath))
    return reply.type('application/json; charset=utf-8').send(document)
  })
  const logos = config.LOGO_HOSTS.map((host) => ` https://${host}`).join('')
  // Its views have separate paths.
  mountStaticFiles(app, cache, {
    url: '/dashboard',
    ...builtIn('web'),
    page: 'page.html',
    complete: (html) => withBase(withIdentity(html, config), basePath),
    forClient: describe,
    headers: headersOf(policy("'self'", "'none'", "'self'", logos)),
  })
}

function mountHome(
  app: FastifyInstance,
  { WEBSITE_URL: website, BASE_PATH: basePath }: Config,
): void {
  const page =
    website === undefined ? `<a href="${basePath}/docs">Documentation</a>` : linkTo(website)
  app.get('/', (_request, reply) =>
    reply
      .header(
        'content-security-policy',
        "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      )
      .header('x-content-type-options', 'nosniff')
      .type('text/html; charset=utf-8')
      .send(page),
  )
}

const linkTo = (url: string) => `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`
