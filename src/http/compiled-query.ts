import type { FastifyRequest } from 'fastify'
import type { Admin } from '../graphql/context.ts'
import { createContext, type Graph } from '../graphql/execute.ts'
import { readFor } from '../graphql/read.ts'
import { type Answer, asksAnew, type EdgeCache } from './edge-cache.ts'

/** What is refused here is no fault: the GraphQL server is to answer. */
class NotHere extends Error {}

/**
 * Answers a query that came before, without the layers that only other operations need: an answer of one JSON object
 * to a POST of one. Whatever else it is, and whatever goes wrong, is left to the GraphQL server, which reads it anew.
 * @returns undefined: it is for the GraphQL server
 */
export async function answerCompiled(
  graph: Graph,
  edge: EdgeCache,
  request: FastifyRequest,
  admin: Admin,
): Promise<Answer | undefined> {
  const { body } = request
  if (!isPlainPost(request) || !Buffer.isBuffer(body)) return undefined
  const key = body.length > MAX_KEY ? undefined : `POST ${body.toString('latin1')}`
  const anew = asksAnew(request.headers)
  const kept = key === undefined || anew ? undefined : edge.find(key)
  if (kept) return kept
  const asked = askedIn(body)
  const operation = asked && graph.operations.find(asked.query, asked.operationName)
  if (!operation) return undefined
  const compute = async () => {
    const json = await readFor(graph.deps.store, operation.document, async (reader) => {
      const planned = await operation.plan.run(reader, asked.variables)
      if (planned) return planned.json()
      const { data, errors } = await operation.run({}, createContext(graph, reader, admin), asked.variables)
      if (errors) throw new NotHere()
      return JSON.stringify(data)
    })
    return { status: 200, json: `{"data":${json}}` }
  }
  return edge.answer(operation.depends === 'data' ? key : undefined, compute, anew).catch(() => undefined)
}

const MAX_KEY = 8000

interface Asked {
  query: string
  operationName?: string
  variables?: Record<string, unknown>
}

function isPlainPost({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'POST' &&
    /^application\/json\b/i.test(headers['content-type'] ?? '') &&
    /^(application\/json|\*\/\*)?$/i.test(headers.accept ?? '')
  )
}

function askedIn(body: Buffer): Asked | undefined {
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
