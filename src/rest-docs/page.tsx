import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import { followTheme } from '../web/brand/theme.ts'
import { graphiqlButton } from './graphiql-button.ts'
import { basePath } from './served.ts'
import { withStoredValues } from './stored-values.ts'

// The class is Swagger UI's name of its dark colours.
followTheme((isDark) => document.documentElement.classList.toggle('dark-mode', isDark))

const response = await fetch(`${basePath}/openapi.json`)
// A list of one server is of no use, unless its address has a prefix.
const { servers, ...contract } = await withStoredValues(await response.json())
SwaggerUI({
  spec: basePath ? { ...contract, servers } : contract,
  dom_id: '#rest-docs',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  // The validator is another host.
  validatorUrl: null,
  plugins: [graphiqlButton],
})
