import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import type { EdgeCache } from './cache/edge-cache.ts'
import { openApiDocument } from './openapi.ts'
import { mountStaticFiles } from './static-files.ts'

/** Pages run their own scripts, and send requests to this gateway only. */
const policy = (styles: string, forms: string, ancestors: string, { fonts = '', logos = '' } = {}) =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:${logos}; ${fonts}connect-src 'self'; base-uri 'none'; form-action ${forms}; frame-ancestors ${ancestors}`

const headersOf = (policy: string) => ['content-security-policy', policy, 'referrer-policy', 'no-referrer']

/** The directory of the files of a page: next to the program. */
const builtIn = (name: string) => ({ directory: join(import.meta.dirname, name), hashed: 'assets/' })

/** Serves the home page, the documentation, the REST docs with their OpenAPI document, and the dashboard. */
export function mountPages(app: FastifyInstance, cache: EdgeCache, config: Deps['config']): void {
  mountHome(app, config.WEBSITE_URL)
  mountStaticFiles(app, cache, {
    url: '/docs',
    ...builtIn('docs'),
    page: (path) => `${path || 'index'}.html`,
    notFoundPage: '404.html',
    headers: headersOf(policy("'self'", "'self'", "'none'")),
  })
  mountStaticFiles(app, cache, {
    url: '/docs/rest',
    ...builtIn('rest-docs'),
    page: (path) => (path === '' ? 'page.html' : path),
    // Swagger UI adds styles.
    headers: headersOf(policy("'self' 'unsafe-inline'", "'none'", "'self'")),
  })
  // The previous address of the document.
  app.get('/docs/rest/json', (_request, reply) => reply.redirect('/openapi.json'))
  let document: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApiDocument())
    return reply.type('application/json; charset=utf-8').send(document)
  })
  const logos = config.LOGO_HOSTS.map((host) => ` https://${host}`).join('')
  // Its views have separate paths.
  mountStaticFiles(app, cache, {
    url: '/dashboard',
    ...builtIn('web'),
    page: 'page.html',
    complete: (html) => withIdentity(html, config),
    headers: headersOf(policy("'self'", "'none'", "'self'", { fonts: "font-src 'self'; ", logos })),
  })
}

/** The dashboard's page with its operator's name, colour and links, which its script reads. */
function withIdentity(html: string, config: Deps['config']): string {
  const identity = {
    name: config.DASHBOARD_NAME,
    color: config.DASHBOARD_COLOR,
    links: config.DASHBOARD_LINKS ?? [],
  }
  return html
    .replace('IDENTITY', () => escapeHtml(JSON.stringify(identity)))
    .replace('NAME', () => escapeHtml(identity.name))
}

/** Serves `/`: one link, to the documentation of this gateway unless there is a website. */
function mountHome(app: FastifyInstance, website: string | undefined): void {
  const page = website === undefined ? '<a href="/docs">Documentation</a>' : linkTo(website)
  app.get('/', (_request, reply) =>
    reply
      .header('content-security-policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
      .header('x-content-type-options', 'nosniff')
      .type('text/html; charset=utf-8')
      .send(page),
  )
}

const linkTo = (url: string) => `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
