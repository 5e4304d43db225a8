import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Answer, EdgeCache } from './cache/edge-cache.ts'
import { sendAnswer } from './cache/send-answer.ts'

/** The page has about ten files. */
const MAX_FILES = 50

/** Serves the interactive REST docs at /docs/rest. A separate server, opened at the first request, renders each file once. */
export function mountRestDocs(app: FastifyInstance, document: object, edge: EdgeCache): void {
  const files = new LRUCache<string, Answer>({ max: MAX_FILES })
  let opened: Promise<FastifyInstance> | undefined
  for (const url of ['/docs/rest', '/docs/rest/*'])
    app.get(url, async (request, reply) => {
      const [path = ''] = request.url.split('?')
      let file = files.get(path)
      if (!file) {
        opened ??= open(document).catch((error) => {
          opened = undefined
          throw error
        })
        const answer = await (await opened).inject({ method: 'GET', url: path })
        if (answer.statusCode >= 500) throw new Error(`the docs answered ${answer.statusCode}`)
        if (answer.statusCode >= 400) return reply.callNotFound()
        if (answer.headers.location) return reply.redirect(answer.headers.location)
        file = {
          name: '/docs/rest',
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

const open = async (document: object) => (await import('./rest-docs-page.ts')).openRestDocs(document)
