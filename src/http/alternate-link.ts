import { idOfDocument } from '../graphql/policy/documents.ts'
import type { Endpoint } from '../rest/endpoint.ts'
import { operationText } from '../rest/operation-text.ts'

/** Proxies commonly allow 4 KiB for all headers of an answer. */
const MAX_LENGTH = 3000

/**
 * Links the answers of an endpoint to the same values in the graph.
 * @returns the value of the `link` header for some variables; undefined where it would be too long for one
 */
export function alternateLink({ operation }: Endpoint): (variables: object) => string | undefined {
  const documentId = idOfDocument(operationText(operation))
  return (variables) => {
    const given = encodeURIComponent(JSON.stringify(variables))
    const link = `</graphql?documentId=${documentId}&variables=${given}>; rel="alternate"`
    return link.length > MAX_LENGTH ? undefined : link
  }
}
