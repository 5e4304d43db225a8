import type { FastifyInstance } from 'fastify'

const OF_A_CONNECTION = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

/** Serves the page of the REST docs, by a server of its own that is made when the docs are first asked for. */
export function mountDocs(app: FastifyInstance, document: object): void {
  let opened: Promise<FastifyInstance> | undefined
  for (const url of ['/docs', '/docs/*'])
    app.get(url, async (request, reply) => {
      opened ??= open(document).catch((error) => {
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

const open = async (document: object) => (await import('./docs-page.ts')).openDocs(document)
