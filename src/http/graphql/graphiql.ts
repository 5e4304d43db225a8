import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import etag from 'etag'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { examples } from '../../graphql/examples.ts'
import { holds } from '../cache/etag.ts'

/** Whether a browser requests the GraphiQL page. */
export function wantsPage({ method, headers, query }: FastifyRequest): boolean {
  const acceptsHtml = (headers.accept ?? '').split(',').some((type) => type.trim().startsWith('text/html'))
  const given = query as Record<string, unknown>
  return (
    (method === 'GET' || method === 'HEAD') && acceptsHtml && !(given.query || given.documentId || given.extensions)
  )
}

/** A script that adds the operation in the URL fragment (`#query=...&variables=...`) to GraphiQL's options. */
const WITH_LINKED = `(options) => {
  const linked = new URLSearchParams(location.hash.slice(1))
  const query = linked.get('query')
  if (!query) return options
  const tab = { query, variables: linked.get('variables') || '{}' }
  return { ...options, ...tab, defaultTabs: [tab, ...options.defaultTabs] }
}`

/** GraphiQL with the example operations as one self-contained page, rendered and compressed on first use. */
export function graphiqlPage() {
  let made: Promise<{ html: Buffer; zipped: Buffer; tag: string }> | undefined
  const make = async () => {
    // 9 MB that only browsers need.
    const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
    const options = {
      title: 'Lending graph',
      defaultTabs: examples.map(({ query, variables }) => ({
        query,
        variables: JSON.stringify(variables ?? {}, null, 2),
      })),
    }
    const json = JSON.stringify(options)
    const html = Buffer.from(renderGraphiQL(options).replace(json, () => `(${WITH_LINKED})(${json})`))
    return { html, zipped: await promisify(gzip)(html), tag: etag(html) }
  }
  return {
    async send(request: FastifyRequest, reply: FastifyReply) {
      made ??= make()
      const { html, zipped, tag } = await made
      reply.header('etag', tag).header('cache-control', 'no-cache').header('vary', 'Origin, Accept, Accept-Encoding')
      if (holds(request, tag)) return reply.code(304).send()
      reply.header('content-type', 'text/html; charset=utf-8')
      if (!/\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '')) return reply.send(html)
      return reply.header('content-encoding', 'gzip').send(zipped)
    },
  }
}
