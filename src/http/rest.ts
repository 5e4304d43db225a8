import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { print } from 'graphql'
import type { ZodError, ZodObject, ZodType } from 'zod'
import type { Caller } from '../db/connect/scope.ts'
import type { Deps } from '../deps.ts'
import { GatewayError, type InputProblem } from '../errors.ts'
import { exactJson } from '../exact-number.ts'
import { type Admin, requireAdmin, type Scope } from '../graphql/context.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { Operation } from '../graphql/execution/operation.ts'
import { idOfDocument } from '../graphql/policy/documents.ts'
import type { Endpoint, EndpointAnswer, PageInfo, Rows } from '../rest/endpoint.ts'
import { endpoints } from '../rest/index.ts'
import { type ComputedAnswer, tagOf } from './cache/answer.ts'
import { edgeKey } from './cache/edge-cache.ts'
import { sendAnswer } from './cache/send-answer.ts'
import type { Edge } from './edge.ts'
import { DATA_VERSION, exchangeOf } from './exchange.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

// The rate-limit cost of an uncached answer, in points: that of a page of rows in the graph.
const READ_COST = 100

export function mountRest(app: FastifyInstance, { config }: Deps, graph: Graph, edge: Edge): void {
  for (const [method, path, endpoint] of endpoints) {
    const url = path.replace(/\{(\w+)\}/g, ':$1')
    const operation = graph.operations.of(
      endpoint.operation,
      undefined,
      endpoint.hasRows,
    ) as Operation
    const mounted = { path, endpoint, operation, link: alternateLink(endpoint, config.BASE_PATH) }
    if (endpoint.admin)
      app.route({
        method,
        url,
        onRequest: async (request) => mayChange(edge, endpoint, request),
        handler: (request, reply) => change(graph, edge, mounted, request, reply),
      })
    else
      app.route({
        method,
        url,
        handler: (request, reply) => read(graph, edge, mounted, request, reply),
      })
  }
}

const scopesOf = ({ admin }: Endpoint): Scope[] => (admin ? [admin] : [])

// Says so before the body is read.
const mayChange = ({ keys }: Edge, endpoint: Endpoint, { headers, raw }: FastifyRequest) =>
  requireAdmin(keys.adminOf(headers, exchangeOf(raw).key), ...scopesOf(endpoint))

interface Mounted {
  path: string
  endpoint: Endpoint
  operation: Operation
  link: ReturnType<typeof alternateLink>
}

function read(
  graph: Graph,
  { cache, rateLimit }: Edge,
  mounted: Mounted,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const input = readInput(mounted.endpoint, request)
  const exchange = exchangeOf(request.raw, reply.raw)
  const answer = () =>
    cache
      .answer(edgeKey(request), (caller) => computed(graph, mounted, input, caller), exchange)
      .then((answer) => sendAnswer(request, reply.hijack().raw, answer, cache))
  if (!rateLimit.limits(request.raw)) return answer()
  return rateLimit.charge(request.raw, reply.raw, READ_COST).then((rejection) => {
    if (rejection !== undefined) throw new GatewayError('RATE_LIMITED', rejection)
    return answer()
  })
}

async function computed(
  graph: Graph,
  mounted: Mounted,
  input: EndpointInput,
  caller: Caller,
): Promise<ComputedAnswer> {
  const { path, endpoint, link } = mounted
  const variables = variablesOf(graph, endpoint, input)
  const { body, rows, timeless, timed } = await answerOf(
    graph,
    mounted,
    { input, variables, admin: 'no' },
    caller,
  )
  const text = exactJson(body)
  const json = endpoint.hasRows ? text.replace('[]', () => `[${rows.json}]`) : text
  const clocked = timeless && { etag: tagOf(timeless(json), { weak: true }) }
  return { name: path, status: endpoint.status, json, timed, link: link(variables), ...clocked }
}

async function change(
  graph: Graph,
  { cache, keys }: Edge,
  mounted: Mounted,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { endpoint } = mounted
  const input = readInput(endpoint, request)
  const exchange = exchangeOf(request.raw)
  const admin = keys.adminOf(request.headers, exchange.key)
  exchange.admin = requireAdmin(admin, ...scopesOf(endpoint))
  const variables = variablesOf(graph, endpoint, input)
  const { body } = await answerOf(graph, mounted, { input, variables, admin })
  cache.clear()
  const version = await graph.deps.store.replicas?.changed()
  if (version !== undefined) reply.header(DATA_VERSION, version)
  reply.code(endpoint.status).header('cache-control', 'no-store').type(JSON_TYPE)
  return reply.send(exactJson(body))
}

const variablesOf = ({ deps }: Graph, endpoint: Endpoint, input: EndpointInput) =>
  endpoint.variables({ ...input, now: deps.now }) as Record<string, unknown>

interface EndpointRun {
  input: EndpointInput
  variables: Record<string, unknown>
  admin: Admin
}

const NO_ROWS: Rows = { json: '', length: 0, last: undefined }

async function answerOf(
  graph: Graph,
  { endpoint, operation }: Mounted,
  { input, ...call }: EndpointRun,
  caller?: Caller,
): Promise<EndpointAnswer<unknown> & { rows: Rows }> {
  const { pageInfo } = endpoint
  const next = pageInfo && ((data: unknown) => nextPage(pageInfo(data)))
  const { pages, rows = NO_ROWS } = await graph.runPages({ operation, ...call }, next, caller)
  return { ...endpoint.answer({ ...input, ...call, data: pages[0], pages, rows }), rows }
}

const nextPage = ({ hasNextPage, endCursor }: PageInfo): Record<string, unknown> | undefined =>
  hasNextPage ? { after: endCursor } : undefined

// Proxies commonly limit all response headers to 4 KiB.
const MAX_LINK = 3000

// The value of the `link` header to the same data over GraphQL. Undefined if it is too long.
function alternateLink(
  { operation }: Endpoint,
  basePath: string,
): (variables: object) => string | undefined {
  const documentId = idOfDocument(print(operation))
  return (variables) => {
    const sent = encodeURIComponent(JSON.stringify(variables))
    const link = `<${basePath}/graphql?documentId=${documentId}&variables=${sent}>; rel="alternate"`
    return link.length > MAX_LINK ? undefined : link
  }
}

type EndpointInput = ReturnType<typeof readInput>

/** The parsed parameters and body of a request. @throws BAD_INPUT */
export function readInput(
  endpoint: Endpoint,
  request: { params: unknown; query: unknown; body: unknown },
) {
  const problems: InputProblem[] = []
  const read = (location: InputProblem['in'], schema: ZodType | undefined, value: unknown) => {
    if (!schema) return {}
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    problems.push(...parsed.error.issues.flatMap((issue) => problemsOf(location, issue)))
    return {}
  }
  const path = read('path', endpoint.path, request.params)
  const query = read(
    'query',
    endpoint.query,
    withoutBrackets(request.query as QueryParameters, endpoint.query, problems),
  )
  const body = endpoint.body ? read('body', endpoint.body, readJson(request.body)) : undefined
  if (problems.length === 0) return { path, query, body }
  const unique = [...new Map(problems.map((p) => [`${p.in} ${p.name}`, p])).values()]
  const detail = unique.map((p) => `${p.name || p.in} ${p.message}`).join('; ')
  throw new GatewayError('BAD_INPUT', `${detail}.`, unique)
}

type QueryParameters = Record<string, string | string[]>

// Normalizes query parameters: clients also write lists as `name[]` and `name[0]`. A parameter that
// takes one value rejects such a list.
function withoutBrackets(
  raw: QueryParameters,
  schema: ZodObject | undefined,
  problems: InputProblem[],
): QueryParameters {
  const query: QueryParameters = {}
  for (const [key, value] of Object.entries(raw)) {
    const bracket = key.indexOf('[')
    const name = bracket < 0 ? key : key.slice(0, bracket)
    if (!schema || !Object.hasOwn(schema.shape, name)) continue
    if (bracket < 0 && query[name] === undefined) query[name] = value
    else if (bracket < 0 || /^\[\d*\]$/.test(key.slice(bracket)))
      query[name] = [query[name] ?? [], value].flat()
    else
      problems.push({ in: 'query', name, message: `has brackets that mean nothing: write ${name}` })
  }
  return query
}

type Issue = ZodError['issues'][number]

// The problems of an issue. For a union, those of the alternative that matched furthest.
function problemsOf(
  location: InputProblem['in'],
  issue: Issue,
  above: PropertyKey[] = [],
): InputProblem[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    const depth = (issues: Issue[]) => Math.max(0, ...issues.map((one) => one.path.length))
    const [best] = issue.errors.toSorted((a, b) => depth(b) - depth(a))
    if (best?.length) return best.flatMap((one) => problemsOf(location, one, path))
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      in: location,
      name: [...path, key].join('.'),
      message: 'is not a field of it',
    }))
  return [{ in: location, name: path.join('.'), message: issue.message }]
}

function readJson(body: unknown): unknown {
  if (!(body instanceof Uint8Array) || body.length === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new GatewayError('BAD_INPUT', 'The body must be JSON.', [
      { in: 'body', name: '', message: 'must be JSON' },
    ])
  }
}
