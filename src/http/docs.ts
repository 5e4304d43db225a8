import type { FastifyInstance } from 'fastify'

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="220" height="40"><text x="0" y="27" fill="#fff" font-family="sans-serif" font-size="20">Lending gateway</text></svg>`

const OF_A_CONNECTION = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

/** Serves the page of the REST docs, by a server of its own that is made when the docs are first asked for. */
export function mountDocs(app: FastifyInstance, document: object): void {
  let opened: Promise<FastifyInstance> | undefined
  for (const url of ['/docs', '/docs/*'])
    app.get(url, async (request, reply) => {
      opened ??= openDocs(document).catch((error) => {
        opened = undefined
        throw error
      })
      const { method, headers } = request
      const docs = await opened
      const answer = await docs.inject({ method: method as 'GET', url: request.url, headers })
      if (answer.statusCode >= 500) throw new Error(`the docs answered ${answer.statusCode}`)
      if (answer.statusCode >= 400) return reply.callNotFound()
      for (const [name, value] of Object.entries(answer.headers))
        if (!OF_A_CONNECTION.has(name)) reply.header(name, value)
      return reply.code(answer.statusCode).send(answer.rawPayload)
    })
  app.addHook('onClose', async () => {
    const docs = await opened?.catch(() => undefined)
    await docs?.close()
  })
}

async function openDocs(document: object): Promise<FastifyInstance> {
  const [{ default: Fastify }, { default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const docs = Fastify()
  await docs.register(swagger, { mode: 'static', specification: { document: document as never } })
  await docs.register(swaggerUi, {
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs', target: '_self' },
    theme: { title: 'Lending gateway: REST APIs' },
    routePrefix: '/docs',
    uiConfig: { tryItOutEnabled: true, docExpansion: 'list' },
  })
  return docs.ready().then(() => docs)
}
