import { idOfDocument } from '../graphql/policy/documents.ts'
import type { Endpoint } from '../rest/endpoint.ts'
import { operationText } from '../rest/operation-text.ts'

/** Proxies commonly limit all response headers to 4 KiB. */
const MAX_LENGTH = 3000

/**
 * Links the answers of an endpoint to the same data over GraphQL.
 * @returns a function from variables to the value of the `link` header, or to undefined if that would be too long
 */
export function alternateLink({ operation }: Endpoint): (variables: object) => string | undefined {
  const documentId = idOfDocument(operationText(operation))
  return (variables) => {
    const given = encodeURIComponent(JSON.stringify(variables))
    const link = `</graphql?documentId=${documentId}&variables=${given}>; rel="alternate"`
    return link.length > MAX_LENGTH ? undefined : link
  }
}
