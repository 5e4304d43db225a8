import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../db/connect/scope.ts'
import { GatewayError } from '../errors.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { Operation } from '../graphql/execution/operation.ts'
import { resultOf } from '../graphql/execution/outcome.ts'
import type { Edge } from '../http/edge.ts'
import { exchangeOf } from '../http/exchange.ts'
import { nearest } from '../nearest.ts'
import { fittingAnswer, MAX_CHARACTERS, variablesOf } from './fit.ts'
import type { ArgumentsSchema } from './input-schema.ts'
import { documentOf, type Tool } from './tools.ts'

/** The graph and the caches behind tools and resources. */
export interface Served {
  graph: Graph
  edge: Edge
}

/** A request with messages of a client, and the answer to it. */
export interface Http {
  request: FastifyRequest
  reply: FastifyReply
}

/** A tool whose arguments are known. */
export interface OfferedTool extends Tool {
  inputSchema: ArgumentsSchema
}

/**
 * Calls a tool: with the limits, the charge and the cache that its operation has at /graphql. An
 * error that the model can act on is a result.
 */
export async function callTool(
  { graph, edge }: Served,
  tool: OfferedTool,
  sent: Record<string, unknown>,
  { request, reply }: Http,
): Promise<CallToolResult> {
  const exchange = exchangeOf(request.raw, reply.raw)
  try {
    assertKnown(tool, sent)
    const { limiter } = graph
    limiter.assertReadable(sent)
    const operation = graph.operations.of(documentOf(tool)) as Operation
    const filled = { ...(tool.first && { first: tool.first }), ...sent }
    const variables = variablesOf(tool, filled)
    const key = operation.depends === 'data' ? keyOf(tool, filled) : undefined
    const { bypassesCache, minVersion } = exchange
    const isCached =
      key !== undefined && !bypassesCache && edge.cache.find(key, minVersion) !== undefined
    if (isCached) exchange.startOperation(operation.name)
    else {
      const charge = edge.rateLimit.chargeOnce(request.raw, reply.raw)
      await graph.admit(operation, variables, { admin: 'no', charge, caller: exchange })
    }
    const compute = async (caller: Caller) => {
      const read = (page: Record<string, unknown>) =>
        dataOf(graph, { operation, variables: variablesOf(tool, page), admin: 'no' }, caller)
      const json = await fittingAnswer(tool, filled, read)
      if (json === undefined) throw new GatewayError('ANSWER_TOO_LARGE', TOO_LARGE)
      return { name: operation.name, status: 200, json }
    }
    const { body } = await edge.cache.answer(key, compute, exchange)
    const text = body.toString()
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
  } catch (error) {
    const { errors = [] } = graph.present(resultOf(error), request.id, exchange)
    return refused(
      errors.map((one) => one.toJSON()),
      reply.raw.getHeader('retry-after'),
    )
  }
}

const TOO_LARGE =
  `The answer would have more than ${MAX_CHARACTERS} characters. Ask for less: fewer addresses, ` +
  'a shorter range of dates, or a filter.'

async function dataOf(
  graph: Graph,
  request: Parameters<Graph['run']>[0],
  caller: Caller,
): Promise<string> {
  const outcome = await graph.run(request, caller)
  if (outcome.failed) throw new AggregateError(outcome.failed.errors ?? [])
  return outcome.json
}

function assertKnown({ name, inputSchema: { properties } }: OfferedTool, sent: object): void {
  const known = Object.keys(properties)
  const unknown = Object.keys(sent).find((one) => !known.includes(one))
  if (unknown === undefined) return
  const shown = unknown.slice(0, 100)
  const near = nearest(shown, known)
  const meant = near === undefined ? '' : ` Do you mean ${near}?`
  const takes = known.length > 0 ? `It takes ${known.join(', ')}.` : 'It takes none.'
  throw new GatewayError('BAD_INPUT', `${name} has no argument ${shown}.${meant} ${takes}`)
}

const MAX_KEY = 2000

// Equal calls have equal keys, in any order of their arguments.
function keyOf({ name }: Tool, variables: Record<string, unknown>): string | undefined {
  const sorted = Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1))
  const key = `mcp ${name} ${JSON.stringify(sorted)}`
  return key.length > MAX_KEY ? undefined : key
}

const MAX_SHOWN = 5

function refused(
  errors: readonly GraphQLFormattedError[],
  retryAfter: number | string | string[] | undefined,
): CallToolResult {
  const shown = errors.slice(0, MAX_SHOWN).map(({ message, extensions }) => {
    const code = String(extensions?.code)
    const isLate = code === 'RATE_LIMITED' && retryAfter !== undefined
    return { code, message, ...(isLate && { retryAfterSeconds: Number(retryAfter) }) }
  })
  return {
    isError: true,
    content: [
      { type: 'text', text: shown.map(({ code, message }) => `${code}: ${message}`).join('\n') },
    ],
    structuredContent: { errors: shown },
  }
}
