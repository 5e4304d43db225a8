import type { FastifyRequest } from 'fastify'
import type { Admin } from '../graphql/context.ts'
import { createContext, type Graph } from '../graphql/execute.ts'
import { readFor } from '../graphql/read.ts'

/**
 * Answers a query that came before, without the layers that only other operations need: an answer of one JSON object
 * to a POST of one. Whatever else it is, and whatever goes wrong, is left to the GraphQL server, which reads it anew.
 * @returns the answer's JSON; undefined: it is for the GraphQL server
 */
export async function answerCompiled(graph: Graph, request: FastifyRequest, admin: Admin): Promise<string | undefined> {
  const asked = askedIn(request)
  const operation = asked && graph.operations.find(asked.query, asked.operationName)
  if (!operation) return undefined
  const result = await readFor(graph.deps.store, operation.document, async (reader) =>
    operation.run({}, createContext(graph, reader, admin), asked.variables),
  ).catch(() => undefined)
  return result && !result.errors ? JSON.stringify({ data: result.data }) : undefined
}

interface Asked {
  query: string
  operationName?: string
  variables?: Record<string, unknown>
}

function askedIn({ method, headers, body }: FastifyRequest): Asked | undefined {
  if (method !== 'POST' || !Buffer.isBuffer(body) || !/^application\/json\b/i.test(headers['content-type'] ?? ''))
    return
  if (!/^(application\/json|\*\/\*)?$/i.test(headers.accept ?? '')) return
  try {
    const { query, operationName, variables, ...rest } = JSON.parse(body.toString())
    if (typeof query !== 'string' || Object.keys(rest).length > 0) return
    if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') return
    if (variables !== undefined && variables !== null && (typeof variables !== 'object' || Array.isArray(variables)))
      return
    return { query, ...(operationName && { operationName }), ...(variables && { variables }) }
  } catch {
    return undefined
  }
}
