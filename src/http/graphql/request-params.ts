import type { FastifyRequest } from 'fastify'
import { type DocumentReference, documentReference, type RequestParams } from '../../graphql/policy/documents.ts'

/** The parameters of a GraphQL request. */
export interface GraphQLParams extends DocumentReference {
  operationName?: string
  variables?: Record<string, unknown>
}

/** A request for one plain JSON result, without extensions or streams. */
export interface PlainRequest {
  /** The cache key. Undefined if the request is too long to cache. */
  key: string | undefined
  /** The media type of the answer. */
  type: string
  /** Reads the parameters. Undefined if they are malformed. */
  read(): GraphQLParams | undefined
}

const MAX_KEY = 8000

/** Reads a plain request. @returns undefined for any other request, which the GraphQL server handles */
export function plainRequest(request: FastifyRequest): PlainRequest | undefined {
  const { method, headers, body, url } = request
  const type = mediaType(headers.accept)
  if (type === undefined || headers['x-graphql-cost'] !== undefined) return undefined
  if (method === 'GET' || method === 'HEAD')
    return {
      key: url.length > MAX_KEY ? undefined : `GET ${url}`,
      type,
      read: () => readParameters(request.query as Record<string, unknown>),
    }
  if (method !== 'POST' || !Buffer.isBuffer(body) || !/^application\/json\b/i.test(headers['content-type'] ?? ''))
    return undefined
  return {
    key: body.length > MAX_KEY ? undefined : `POST ${body.toString('latin1')}`,
    type,
    read: () => readJson(body.toString()),
  }
}

const TYPES: Record<string, string> = {
  'application/graphql-response+json': 'application/graphql-response+json',
  'application/json': 'application/json',
  'application/*': 'application/json',
  '*/*': 'application/json',
}

/** The first accepted media type that fits a JSON result. */
function mediaType(accept: string | undefined): string | undefined {
  for (const given of (accept || '*/*').toLowerCase().split(',')) {
    const [type = '', ...parameters] = given.replace(/\s/g, '').split(';')
    if (parameters.some((one) => one.startsWith('charset=') && one !== 'charset=utf-8')) continue
    const known = TYPES[type]
    if (known) return `${known}; charset=utf-8`
  }
  return undefined
}

function readParameters(given: Record<string, unknown>): GraphQLParams | undefined {
  const { variables, extensions, ...rest } = given
  return readParams({ ...rest, variables: parsed(variables), extensions: parsed(extensions) })
}

/** Parses a JSON parameter: undefined if it is absent, UNREADABLE if it is not JSON. */
function parsed(parameter: unknown): unknown {
  if (parameter === undefined || parameter === '') return undefined
  try {
    return JSON.parse(parameter as string)
  } catch {
    return UNREADABLE
  }
}

const UNREADABLE = Symbol('unreadable')

function readJson(text: string): GraphQLParams | undefined {
  try {
    return readParams(JSON.parse(text))
  } catch {
    return undefined
  }
}

function readParams(given: RequestParams): GraphQLParams | undefined {
  const { query, documentId, operationName, variables, extensions, ...rest } = given
  if (Object.keys(rest).length > 0) return undefined
  if (!isTextOrNone(query) || !isTextOrNone(documentId) || !isTextOrNone(operationName)) return undefined
  if (!isObjectOrNone(variables) || !isObjectOrNone(extensions)) return undefined
  const { persistedQuery, ...more } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } }
  if (Object.keys(more).length > 0 || (persistedQuery && typeof persistedQuery.sha256Hash !== 'string'))
    return undefined
  return {
    ...documentReference({ query: query || undefined, documentId: documentId || undefined, extensions }),
    ...(operationName && { operationName }),
    ...(variables && { variables }),
  }
}

const isTextOrNone = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === 'string'

const isObjectOrNone = (value: unknown): value is Record<string, unknown> | null | undefined =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))
