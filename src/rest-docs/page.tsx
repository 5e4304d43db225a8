import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import { graphiqlButton } from './graphiql-button.ts'
import { basePath } from './served.ts'

interface OpenApi {
  servers?: unknown
  paths: Record<
    string,
    Record<string, { parameters?: { required?: boolean; example?: unknown }[] }>
  >
}

/**
 * The document as the page shows it. The page fills its forms with the examples: those of optional
 * parameters would narrow the first answer.
 */
function withoutOptionalExamples(document: OpenApi): OpenApi {
  for (const item of Object.values(document.paths))
    for (const operation of Object.values(item))
      for (const parameter of operation.parameters ?? [])
        if (!parameter.required) parameter.example = undefined
  return document
}

const response = await fetch(`${basePath}/openapi.json`)
// A list of one server is of no use, unless its address has a prefix.
const { servers, ...document } = withoutOptionalExamples(await response.json())
SwaggerUI({
  spec: basePath ? { ...document, servers } : document,
  dom_id: '#rest-docs',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  // The validator is another host.
  validatorUrl: null,
  plugins: [graphiqlButton],
})
