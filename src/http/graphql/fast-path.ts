import type { FastifyRequest } from 'fastify'
import type { Admin } from '../../graphql/execution/context.ts'
import { createContext } from '../../graphql/execution/execute.ts'
import { readFor } from '../../graphql/execution/snapshot.ts'
import type { ServedGraph } from '../../graphql/served-graph.ts'
import { type Answer, asksAnew, type EdgeCache } from '../cache/edge-cache.ts'
import type { ChargeRequest } from '../server/rate-limit.ts'
import type { PlainRequest } from './request-params.ts'

/** What is refused here is no fault: the GraphQL server is to answer. */
class NotHere extends Error {}

/**
 * Answers a query that came before, without the layers that only other operations need. Whatever else it is, and
 * whatever goes wrong, is left to the GraphQL server, which reads it anew.
 * @returns undefined: it is for the GraphQL server
 */
export async function answerCompiled(
  graph: ServedGraph,
  edge: EdgeCache,
  { headers }: FastifyRequest,
  { key, read }: PlainRequest,
  { admin, charge }: { admin: Admin; charge: ChargeRequest },
): Promise<Answer | undefined> {
  const anew = asksAnew(headers)
  const kept = key === undefined || anew ? undefined : edge.find(key)
  if (kept) return kept
  const asked = read()
  const text = asked && graph.documents.find(asked)
  const operation = text === undefined ? undefined : graph.operations.find(text, asked?.operationName)
  if (!operation || !graph.limiter.allows(operation.document, asked?.operationName, asked?.variables)) return undefined
  const cost = () => graph.limiter.cost(operation.document, asked?.operationName, asked?.variables)?.requested ?? 0
  if ((await charge(cost)) !== undefined) return undefined
  const compute = async () => {
    const json = await readFor(graph.deps.store, operation.document, async (reader) => {
      const planned = await operation.plan.run(reader, asked?.variables)
      if (planned) return planned.json()
      const { data, errors } = await operation.run({}, createContext(graph, reader, admin), asked?.variables)
      if (errors) throw new NotHere()
      return JSON.stringify(data)
    })
    return { status: 200, json: `{"data":${json}}` }
  }
  return edge.answer(operation.depends === 'data' ? key : undefined, compute, anew).catch(() => undefined)
}
