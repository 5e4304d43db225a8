import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance } from 'fastify'

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="220" height="40"><text x="0" y="27" fill="#fff" font-family="sans-serif" font-size="20">Lending gateway</text></svg>`

/** The server of the page of the REST docs. */
export async function openDocs(document: object): Promise<FastifyInstance> {
  const docs = Fastify()
  await docs.register(swagger, { mode: 'static', specification: { document: document as never } })
  await docs.register(swaggerUi, {
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs', target: '_self' },
    theme: { title: 'Lending gateway: REST APIs' },
    routePrefix: '/docs',
    uiConfig: { tryItOutEnabled: true, docExpansion: 'list' },
  })
  await docs.ready()
  return docs
}
