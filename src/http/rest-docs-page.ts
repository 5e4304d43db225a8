import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance } from 'fastify'
import { GRAPHIQL_BUTTON } from './graphiql-button.ts'

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="220" height="40"><text x="0" y="27" fill="#fff" font-family="sans-serif" font-size="20">Lending gateway</text></svg>`

/** Opens the server that renders the REST docs. */
export async function openRestDocs(document: object): Promise<FastifyInstance> {
  const docs = Fastify()
  const shown = shownDocument(document as Document)
  await docs.register(swagger, { mode: 'static', specification: { document: shown as never } })
  await docs.register(swaggerUi, {
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs', target: '_self' },
    theme: {
      title: 'Lending gateway: REST APIs',
      js: [{ filename: 'graphiql-button.js', content: GRAPHIQL_BUTTON }],
    },
    routePrefix: '/docs/rest',
    uiConfig: { tryItOutEnabled: true, docExpansion: 'list' },
  })
  await docs.ready()
  return docs
}

/** Shown above the endpoints. */
const LINKS = 'See also the [documentation](/docs), [GraphiQL](/graphql) and the [dashboard](/dashboard).'

interface Document {
  info: { description: string }
  paths: Record<string, Record<string, { parameters?: { required?: boolean }[] }>>
}

/**
 * The document as the page shows it. The page fills its forms with the examples: those of optional parameters would narrow the
 * first answer.
 */
function shownDocument(document: Document): Document {
  const shown = structuredClone(document)
  shown.info.description += `\n\n${LINKS}`
  for (const item of Object.values(shown.paths))
    for (const operation of Object.values(item))
      operation.parameters = operation.parameters?.map((parameter) =>
        parameter.required ? parameter : { ...parameter, example: undefined },
      )
  return shown
}
