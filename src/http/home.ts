import type { FastifyInstance } from 'fastify'

/** Serves `/`: one link, to the documentation of this gateway unless there is a website. */
export function mountHome(app: FastifyInstance, website: string | undefined): void {
  const page = website === undefined ? '<a href="/docs">Documentation</a>' : linkTo(website)
  app.get('/', (_request, reply) =>
    reply
      .header('content-security-policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
      .header('x-content-type-options', 'nosniff')
      .type('text/html; charset=utf-8')
      .send(page),
  )
}

function linkTo(url: string): string {
  const escaped = url.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
  return `<a href="${escaped}">${escaped}</a>`
}
