import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Answer, EdgeCache } from './cache/edge-cache.ts'
import { sendAnswer } from './cache/send-answer.ts'
import { GRAPHIQL_BUTTON } from './graphiql-button.ts'

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="220" height="40"><text x="0" y="27" fill="#fff" font-family="sans-serif" font-size="20">Lending gateway</text></svg>`

/** The page has about ten files. */
const MAX_FILES = 50

/** Serves the page of the REST docs. A server of its own, opened at the first request, makes each file once. */
export function mountDocs(app: FastifyInstance, document: object, edge: EdgeCache): void {
  const files = new LRUCache<string, Answer>({ max: MAX_FILES })
  let opened: Promise<FastifyInstance> | undefined
  for (const url of ['/docs', '/docs/*'])
    app.get(url, async (request, reply) => {
      const [path = ''] = request.url.split('?')
      let file = files.get(path)
      if (!file) {
        opened ??= openDocs(document).catch((error) => {
          opened = undefined
          throw error
        })
        const answer = await (await opened).inject({ method: 'GET', url: path })
        if (answer.statusCode >= 500) throw new Error(`the docs answered ${answer.statusCode}`)
        if (answer.statusCode >= 400) return reply.callNotFound()
        if (answer.headers.location) return reply.redirect(answer.headers.location)
        file = {
          key: `docs ${path}`,
          status: answer.statusCode,
          type: String(answer.headers['content-type']),
          body: answer.rawPayload,
          etag: `"${hash('sha1', answer.rawPayload, 'base64url')}"`,
          compressed: {},
        }
        files.set(path, file)
      }
      return sendAnswer(request, reply.hijack().raw, file, edge)
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
  const shown = withoutOptionalExamples(document as Document)
  await docs.register(swagger, { mode: 'static', specification: { document: shown as never } })
  await docs.register(swaggerUi, {
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs', target: '_self' },
    theme: {
      title: 'Lending gateway: REST APIs',
      js: [{ filename: 'graphiql-button.js', content: GRAPHIQL_BUTTON }],
    },
    routePrefix: '/docs',
    uiConfig: { tryItOutEnabled: true, docExpansion: 'list' },
  })
  return docs.ready().then(() => docs)
}

interface Document {
  paths: Record<string, Record<string, { parameters?: { required?: boolean }[] }>>
}

/** The page fills its forms with the examples. Those of optional parameters would narrow the first answer. */
function withoutOptionalExamples(document: Document): Document {
  const shown = structuredClone(document)
  for (const item of Object.values(shown.paths))
    for (const operation of Object.values(item))
      operation.parameters = operation.parameters?.map((parameter) =>
        parameter.required ? parameter : { ...parameter, example: undefined },
      )
  return shown
}
