import * as z from 'zod'
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import type { Endpoint } from '../rest/endpoint.ts'
import { endpoints } from '../rest/index.ts'
import { operationText } from '../rest/operation-text.ts'

const problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('A sentence that says what is wrong.'),
    errors: z
      .array(z.strictObject({ in: z.enum(['path', 'query', 'body', 'header']), name: z.string(), message: z.string() }))
      .optional()
      .describe('For a 400: each parameter that is wrong.'),
    statusCode: z.int().describe('`status`, for clients that read older shapes.'),
    error: z.string().describe('`title`, for clients that read older shapes.'),
    message: z.string().describe('`detail`, for clients that read older shapes.'),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457).' })

const up = z.strictObject({ status: z.literal('up') })
const down = z.strictObject({ status: z.literal('down'), message: z.string() })

const health = z
  .strictObject({
    status: z.enum(['ok', 'error']),
    info: z.record(z.string(), up),
    error: z.record(z.string(), down),
    details: z.record(z.string(), z.union([up, down])),
  })
  .meta({ id: 'Health', description: 'The components are `database` and `cache`.' })

const alive = z.strictObject({ status: z.literal('ok') })

/** The REST APIs as an OpenAPI 3.1 document, from the definitions that serve them. */
export function openApiDocument() {
  const paths: ZodOpenApiPathsObject = {
    '/': {
      get: {
        operationId: 'getHome',
        summary: "A link to the project's website",
        tags: ['Points program'],
        responses: { 200: { description: 'A page with one link', content: { 'text/html': { schema: z.string() } } } },
      },
    },
    '/health': {
      get: {
        operationId: 'getHealth',
        summary: 'The state of the gateway and of what it depends on',
        tags: ['Points program'],
        responses: {
          200: { description: 'All components are up', content: { 'application/json': { schema: health } } },
          503: { description: 'A component is down', content: { 'application/json': { schema: health } } },
        },
      },
    },
    '/livez': {
      get: {
        operationId: 'getLiveness',
        summary: 'Whether the process is alive',
        description:
          'For a scheduler that restarts processes: it depends on neither the database nor the cache. 503 only while the process ends.',
        tags: ['Operations'],
        responses: {
          200: { description: 'It is alive', content: { 'application/json': { schema: alive } } },
        },
      },
    },
    '/readyz': {
      get: {
        operationId: 'getReadiness',
        summary: 'Whether requests can be served',
        description:
          'For a load balancer: 200 while the database answers. It does not depend on the cache, without which answers are only slower.',
        tags: ['Operations'],
        responses: {
          200: { description: 'Requests can be served', content: { 'application/json': { schema: alive } } },
          503: {
            description: 'The database does not answer',
            content: { 'application/problem+json': { schema: problem } },
          },
        },
      },
    },
    '/metrics': {
      get: {
        operationId: 'getMetrics',
        summary: 'Metrics for Prometheus',
        description:
          "Metrics of this process, and of the store: how old the newest distribution is (`gateway_newest_distribution_timestamp_seconds` and `gateway_newest_distribution_age_seconds`, absent in a store without positions) and how many runs have ended (`gateway_distribution_runs_total` by kind and status). Those of the store are the same from every gateway on it: take their maximum, not their sum. `gateway_subscriptions` is the process's own.",
        tags: ['Operations'],
        responses: {
          200: { description: 'The text format of Prometheus', content: { 'text/plain': { schema: z.string() } } },
        },
      },
    },
  }
  for (const [method, path, endpoint] of endpoints) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(path, endpoint) }
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Lending gateway',
      version: '1.0.0',
      description:
        'The points program API at the root, and the user analytics (indexer) API under /v1. Both are maps onto the GraphQL API at /graphql. Addresses are accepted in any case and returned in lower case. Unknown query parameters are ignored.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: { adminToken: { type: 'http', scheme: 'bearer', description: "The server's ADMIN_TOKEN." } },
    },
  })
}

function operation(path: string, endpoint: Endpoint) {
  const { operationId, summary, description, status, response, errors, admin } = endpoint
  const invalid = endpoint.path || endpoint.query || endpoint.body ? { 400: 'A parameter is wrong' } : {}
  const tooLarge = endpoint.body ? { 413: 'The body is larger than 1 MiB' } : {}
  const failures = Object.entries({ ...invalid, ...tooLarge, ...errors }).map(([code, meaning]) => [
    code,
    { description: meaning, content: { 'application/problem+json': { schema: problem } } },
  ])
  return {
    operationId,
    summary,
    description,
    'x-graphql-operation': operationText(endpoint.operation),
    tags: [path.startsWith('/v1/') ? 'User analytics' : 'Points program'],
    ...(admin ? { security: [{ adminToken: [] }] } : {}),
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
      [String(status)]: { description: 'The answer', content: { 'application/json': { schema: response } } },
      ...(admin ? {} : { 304: { description: 'Not modified: the If-None-Match tag still holds' } }),
      ...Object.fromEntries(failures),
    },
  }
}
