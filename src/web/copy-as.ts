interface Operation {
  /** The address of the graph. */
  url: string
  query: string
  variables: object
}

/** An operation as a command for a shell. */
export function asCurl({ url, query, variables }: Operation): string {
  const body = JSON.stringify({ query, variables }).replaceAll("'", "'\\''")
  return `curl -s '${url}' -H 'content-type: application/json' \\\n  -d '${body}'`
}

/** An operation as TypeScript that needs no library. */
export function asFetch({ url, query, variables }: Operation): string {
  const text = query.replace(/[\\`]|\$\{/g, '\\$&')
  return `const query = \`${text}\`
const response = await fetch('${url}', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables: ${JSON.stringify(variables)} }),
})
const { data, errors } = await response.json()`
}

/** An operation of the typed client as TypeScript. @param name of the operation */
export const asTypedClient = (name: string, { url, variables }: Operation): string =>
  `import { request } from 'graphql-request'
import { ${name}Document } from 'lending-graph-client'

const data = await request('${url}', ${name}Document, ${JSON.stringify(variables, null, 2)})`
