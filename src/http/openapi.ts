import { print } from 'graphql'
import * as z from 'zod'
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import generated from '../generated/examples.json' with { type: 'json' }
import type { Endpoint } from '../rest/endpoint.ts'
import { endpoints } from '../rest/index.ts'
import { DATA_VERSION } from './exchange.ts'
import { problem } from './server/problem.ts'

// The version of the REST API. It changes when an answer does, not with each release of the
// program.
const REST_VERSION = '1.0.0'

const problemShape = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('A sentence that says what is wrong.'),
    errors: z
      .array(
        z.strictObject({
          in: z.enum(['path', 'query', 'body', 'header']),
          name: z.string(),
          message: z.string(),
        }),
      )
      .optional()
      .describe('For a 400: each invalid parameter.'),
    statusCode: z.int().describe('Same as `status`, for older clients.'),
    error: z.string().describe('Same as `title`, for older clients.'),
    message: z.string().describe('Same as `detail`, for older clients.'),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457).' })

const up = z.strictObject({ status: z.literal('up') })
const down = z.strictObject({ status: z.literal('down'), message: z.string() })
const components = <Value extends z.ZodType>(value: Value) =>
  z.strictObject({ database: value, cache: value })

const health = z
  .strictObject({
    status: z.enum(['ok', 'error']),
    info: components(up).partial().describe('The components that are up.'),
    error: components(down).partial().describe('The components that are down.'),
    details: components(z.union([up, down])).describe('All components.'),
  })
  .meta({ id: 'Health', description: 'The state of the database and the cache.' })

const alive = z.strictObject({ status: z.literal('ok') })

const DOWN = { status: 'down' as const, message: 'The database cannot be reached.' }

interface OperationExample {
  parameters: object
  body?: unknown
  link?: string
  responses: Partial<Record<string, unknown>>
}

/** Requests with their responses, by operation. */
export type Examples = Record<string, OperationExample>

const ofMetrics: OperationExample = {
  parameters: {},
  responses: { 200: '# TYPE gateway_subscriptions gauge\ngateway_subscriptions 0\n' },
}

const header = (type: 'string' | 'integer', description: string, example: string | number) => ({
  description,
  schema: { type },
  example,
})
const requestId = {
  'request-id': header(
    'string',
    "The request id: the client's, if it sent a valid one.",
    '0b6f2f5e-4a6b-4d0c-9d57-3a1f0a2b8c11',
  ),
}
const tagged = {
  ...requestId,
  etag: header(
    'string',
    'The ETag of the response. If the response contains the time of its request, the tag ' +
      'ignores it and is weak.',
    '"3Ufq0bGAC2iOA6jDdlVqZ0dNnZ4"',
  ),
  [DATA_VERSION]: header(
    'string',
    'The data version of the response, if the server reads from replicas. Send it with the ' +
      'next request, also to another server of the same data, and no response is older.',
    '1742',
  ),
  vary: header('string', 'Origin, among others.', 'Origin, Accept-Encoding'),
}
const limited = {
  ...requestId,
  'retry-after': header('integer', 'The seconds until the client has its points again.', 24),
  'ratelimit-policy': header(
    'string',
    'The points of a client and their window in seconds.',
    '"points";q=6000;w=60',
  ),
  ratelimit: header(
    'string',
    'The points that are left, and the seconds until there are more.',
    '"points";r=0;t=24',
  ),
}
const link = {
  description:
    'The same data over GraphQL: a GET of the operation in `x-graphql-operation`, with its ' +
    'variables. Absent if it would be longer than 3000 characters.',
  schema: { type: 'string' as const },
}

const TAGS = [
  {
    name: 'Points program',
    description: 'Points of users, positions, pools and multipliers, at the root.',
  },
  {
    name: 'User analytics',
    description: 'Snapshots, liquidation rewards, earnings and net APR of a user, under /v1.',
  },
  { name: 'Operations', description: 'For operators of the gateway.' },
]

const failure = (description: string, headers: typeof requestId = requestId) => ({
  description,
  headers,
  content: { 'application/problem+json': { schema: problemShape } },
})

const UNREADABLE = { 400: failure('The URL or a header is invalid') }
const RATE_LIMITED = { 429: failure('The client has used up its RATE_LIMIT', limited) }
const NOT_MODIFIED = {
  304: { description: 'Not modified: the If-None-Match tag still matches', headers: tagged },
}

const operated = (
  operationId: string,
  summary: string,
  description: string,
  ok: { description: string; headers?: object; content: object },
  others: object = {},
) => ({
  get: {
    operationId,
    summary,
    description,
    tags: ['Operations'],
    security: [],
    responses: { 200: { headers: tagged, ...ok }, ...UNREADABLE, ...others },
  },
})

const OPERATED: ZodOpenApiPathsObject = {
  '/': operated(
    'getHome',
    "A link to the project's website",
    "A page with one link: WEBSITE_URL or, without it, this server's documentation.",
    { description: 'A page with one link', content: { 'text/html': { schema: z.string() } } },
    {
      ...NOT_MODIFIED,
      ...RATE_LIMITED,
      503: failure('The server has more requests or connections than it can answer'),
    },
  ),
  '/health': operated(
    'getHealth',
    'The state of the gateway and its dependencies',
    'The state of the database and the cache. The response is never a 304 and must not be stored.',
    { description: 'All components are up', content: { 'application/json': { schema: health } } },
    {
      503: {
        description: 'A component is down',
        headers: requestId,
        content: {
          'application/json': {
            schema: health,
            example: {
              status: 'error',
              info: { cache: { status: 'up' } },
              error: { database: DOWN },
              details: { cache: { status: 'up' }, database: DOWN },
            },
          },
        },
      },
    },
  ),
  '/livez': operated(
    'getLiveness',
    'The process is alive',
    'For a scheduler that restarts processes. It depends on neither the database nor the cache.',
    { description: 'The process is alive', content: { 'application/json': { schema: alive } } },
  ),
  '/readyz': operated(
    'getReadiness',
    'Requests can be served',
    'For a load balancer: 200 while the database answers and the server is not closing. It ' +
      'does not depend on the cache; without it, responses are only slower.',
    { description: 'Requests can be served', content: { 'application/json': { schema: alive } } },
    { 503: failure('The database does not answer') },
  ),
  '/metrics': operated(
    'getMetrics',
    'Metrics for Prometheus',
    'Metrics of this process and of the database: the age of the newest distribution ' +
      '(`gateway_newest_distribution_timestamp_seconds` and ' +
      '`gateway_newest_distribution_age_seconds`, absent if no positions are stored) and the ' +
      'number of finished runs (`gateway_distribution_runs_total` by kind and status). All ' +
      'gateways on a database report the same database metrics: aggregate them by maximum, not ' +
      'by sum. `gateway_subscriptions` counts this process only.',
    {
      description: 'Metrics in the Prometheus text format',
      headers: requestId,
      content: { 'text/plain': { schema: z.string() } },
    },
  ),
}

/**
 * @param basePath the prefix of all paths
 * @param sampled what the sample data answers
 */
export function openApiDocument(basePath = '', sampled: Examples = generated) {
  const examples = { ...sampled, getMetrics: ofMetrics }
  const paths: ZodOpenApiPathsObject = { ...OPERATED }
  for (const [method, path, endpoint] of endpoints) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(path, endpoint, examples) }
  }
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Lending gateway',
      version: REST_VERSION,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'The points program API at the root and the user analytics (indexer) API under /v1. ' +
        'Both are mapped onto the GraphQL API at /graphql. Addresses are accepted in any case ' +
        'and returned in lower case. A trailing slash and the case of the fixed words of a ' +
        'path make no difference, except at /metrics, /livez and /readyz. Unknown query ' +
        'parameters are ignored. Any request may send x-data-version, a whole number from a ' +
        'response: the response is not older than that one, even from another server. A ' +
        'request that takes too long to arrive gets a 408, and one whose URL and headers ' +
        'exceed 16 KiB a 431.',
    },
    servers: [{ url: basePath || '/' }],
    tags: TAGS,
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Optional.' },
        adminToken: { type: 'http', scheme: 'bearer', description: "The server's ADMIN_TOKEN." },
      },
    },
  })
  addExamples(document, examples)
  return document
}

type Content = Record<string, { example?: unknown }>
interface DocumentedOperation {
  operationId: string
  parameters?: { name: string; example?: unknown }[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}

// Adds examples. A problem that the sample data cannot produce uses the description of its status.
function addExamples({ paths = {} }: ReturnType<typeof createDocument>, examples: Examples): void {
  for (const item of Object.values(paths))
    for (const operation of Object.values(item as Record<string, DocumentedOperation>)) {
      const { parameters, body, responses } = examples[operation.operationId] ?? {
        parameters: {},
        responses: {},
      }
      for (const parameter of operation.parameters ?? [])
        parameter.example = (parameters as Record<string, unknown>)[parameter.name]
      for (const media of Object.values(operation.requestBody?.content ?? {}))
        media.example = body ?? parameters
      for (const [status, { description, content = {} }] of Object.entries(operation.responses))
        for (const media of Object.values(content))
          media.example ??= responses[status] ?? problem(Number(status), `${description}.`)
    }
}

function operation(path: string, endpoint: Endpoint, examples: Examples) {
  const { operationId, summary, description, status, response, errors, admin } = endpoint
  const hasInput = endpoint.path || endpoint.query || endpoint.body
  const failures = {
    ...UNREADABLE,
    ...(hasInput && { 400: failure('A parameter, the URL or a header is invalid') }),
    ...(endpoint.body && { 413: failure('The body is larger than 1 MiB') }),
    ...RATE_LIMITED,
    503: failure('The database cannot be reached, or did not answer within READ_TIMEOUT_MS'),
    ...Object.fromEntries(
      Object.entries(errors).map(([status, meaning]) => [status, failure(meaning)]),
    ),
  }
  return {
    operationId,
    summary,
    description,
    'x-graphql-operation': print(endpoint.operation),
    tags: [path.startsWith('/v1/') ? 'User analytics' : 'Points program'],
    security: admin ? [{ adminToken: [] }, { apiKey: [] }] : [{}, { apiKey: [] }],
    requestParams: {
      ...(endpoint.path ? { path: endpoint.path } : {}),
      ...(endpoint.query ? { query: endpoint.query } : {}),
    },
    ...(endpoint.body
      ? {
          requestBody: {
            required: !endpoint.body.safeParse(undefined).success,
            content: { 'application/json': { schema: endpoint.body } },
          },
        }
      : {}),
    responses: {
      [String(status)]: {
        description: 'The response',
        headers: admin
          ? requestId
          : { ...tagged, link: { ...link, example: examples[operationId]?.link } },
        content: { 'application/json': { schema: response } },
      },
      ...(admin ? {} : NOT_MODIFIED),
      ...failures,
    },
  }
}
