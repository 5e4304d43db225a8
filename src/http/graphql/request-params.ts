import type { FastifyRequest } from 'fastify'
import { type AskedDocument, askedDocument, type RequestParams } from '../../graphql/policy/documents.ts'

/** What a request asks the graph for. */
export interface Asked extends AskedDocument {
  operationName?: string
  variables?: Record<string, unknown>
}

/** A request that is answered by one JSON object and nothing about it. */
export interface PlainRequest {
  /** What its answer is kept under; undefined: it is too long. */
  key: string | undefined
  /** The media type that its client likes best. */
  type: string
  /** Undefined: it is not as it should be. */
  read(): Asked | undefined
}

const MAX_KEY = 8000

/** @returns undefined: it is another one, which the GraphQL server is to look at */
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

/** The first of the accepted types that one JSON object can have. */
function mediaType(accept: string | undefined): string | undefined {
  for (const given of (accept || '*/*').toLowerCase().split(',')) {
    const [type = '', ...parameters] = given.replace(/\s/g, '').split(';')
    if (parameters.some((one) => one.startsWith('charset=') && one !== 'charset=utf-8')) continue
    const known = TYPES[type]
    if (known) return `${known}; charset=utf-8`
  }
  return undefined
}

function readParameters(given: Record<string, unknown>): Asked | undefined {
  const { variables, extensions, ...rest } = given
  return readAsked({ ...rest, variables: parsed(variables), extensions: parsed(extensions) })
}

/** An absent parameter is none; one that is no JSON is none that can be read. */
function parsed(parameter: unknown): unknown {
  if (parameter === undefined || parameter === '') return undefined
  try {
    return JSON.parse(parameter as string)
  } catch {
    return UNREADABLE
  }
}

const UNREADABLE = Symbol('unreadable')

function readJson(text: string): Asked | undefined {
  try {
    return readAsked(JSON.parse(text))
  } catch {
    return undefined
  }
}

function readAsked(given: RequestParams): Asked | undefined {
  const { query, documentId, operationName, variables, extensions, ...rest } = given
  if (Object.keys(rest).length > 0) return undefined
  if (!isTextOrNone(query) || !isTextOrNone(documentId) || !isTextOrNone(operationName)) return undefined
  if (!isObjectOrNone(variables) || !isObjectOrNone(extensions)) return undefined
  const { persistedQuery, ...more } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } }
  if (Object.keys(more).length > 0 || (persistedQuery && typeof persistedQuery.sha256Hash !== 'string'))
    return undefined
  return {
    ...askedDocument({ query: query || undefined, documentId: documentId || undefined, extensions }),
    ...(operationName && { operationName }),
    ...(variables && { variables }),
  }
}

const isTextOrNone = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === 'string'

const isObjectOrNone = (value: unknown): value is Record<string, unknown> | null | undefined =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))
