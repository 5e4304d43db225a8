import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import {
  type DocumentReference,
  documentReference,
  operationNameOf,
  type RequestParams,
} from '../../graphql/policy/documents.ts'

export interface GraphQLParams extends DocumentReference {
  operationName: string | undefined
  variables?: Record<string, unknown>
}

// How one plain JSON result, without extensions or streams, is answered.
interface PlainAnswer {
  key: string | undefined
  type: string
}

export interface PlainRequest extends PlainAnswer {
  /** Reads the parameters. Undefined if they are malformed. */
  read(): GraphQLParams | undefined
}

export const VARY = 'Origin, Accept'

const MAX_KEY = 8000

/** True if a browser requests the GraphiQL page. */
export function wantsPage({ method, headers, query }: FastifyRequest): boolean {
  const acceptsHtml = (headers.accept ?? '')
    .split(',')
    .some((type) => type.trim().startsWith('text/html'))
  const parameters = query as Record<string, unknown>
  return (
    (method === 'GET' || method === 'HEAD') &&
    acceptsHtml &&
    !(parameters.query || parameters.documentId || parameters.extensions)
  )
}

/**
 * Reads a plain request.
 * @returns undefined for any other request, which the GraphQL server handles
 */
export function plainRequest(request: FastifyRequest): PlainRequest | undefined {
  const { raw, body, query } = request
  const answer = plainAnswer(raw, body)
  if (!answer) return undefined
  const read = () =>
    Buffer.isBuffer(body) && raw.method === 'POST'
      ? readJson(body.toString())
      : readParameters(query as Record<string, unknown>)
  return { ...answer, read }
}

/** How a plain request is answered. Undefined for any other request. */
export function plainAnswer(
  { method, headers, url = '' }: IncomingMessage,
  body: unknown,
): PlainAnswer | undefined {
  const type = mediaType(headers.accept)
  if (type === undefined || headers['x-graphql-cost'] !== undefined) return undefined
  if (method === 'GET' || method === 'HEAD')
    return { key: url.length > MAX_KEY ? undefined : `GET ${url}`, type }
  if (
    method !== 'POST' ||
    !Buffer.isBuffer(body) ||
    !/^application\/json\b/i.test(headers['content-type'] ?? '')
  )
    return undefined
  return { key: body.length > MAX_KEY ? undefined : `POST ${body.toString('latin1')}`, type }
}

const JSON_TYPE = 'application/json; charset=utf-8'
const TYPES = new Map([
  ['application/graphql-response+json', 'application/graphql-response+json; charset=utf-8'],
  ['application/json', JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['*/*', JSON_TYPE],
])

function mediaType(accept: string | undefined): string | undefined {
  const only = TYPES.get(accept || '*/*')
  if (only) return only
  for (const type of acceptedTypes(accept)) {
    const served = TYPES.get(type)
    if (served) return served
  }
  return undefined
}

const STREAM_TYPES = new Set(['text/event-stream', 'text/*'])

/**
 * The accepted media types that results are sent in, as an `accept` header: JSON and event streams,
 * but not multipart, since no result has parts. Empty if there are none.
 */
export const servedTypes = (accept: string | undefined): string =>
  acceptedTypes(accept)
    .filter((type) => TYPES.has(type) || STREAM_TYPES.has(type))
    .join(', ')

function acceptedTypes(accept: string | undefined): string[] {
  return (accept || '*/*')
    .toLowerCase()
    .split(',')
    .flatMap((range) => {
      const [type = '', ...parameters] = range.replace(/\s/g, '').split(';')
      const isUtf8 = parameters.every(
        (one) => !one.startsWith('charset=') || one === 'charset=utf-8',
      )
      return isUtf8 ? [type] : []
    })
}

function readParameters(params: Record<string, unknown>): GraphQLParams | undefined {
  const { variables, extensions, ...rest } = params
  return readParams({ ...rest, variables: parsed(variables), extensions: parsed(extensions) })
}

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

function readParams(params: RequestParams): GraphQLParams | undefined {
  const { query, documentId, operationName, variables, extensions, ...rest } = params
  if (Object.keys(rest).length > 0) return undefined
  if (!isTextOrNone(query) || !isTextOrNone(documentId) || !isTextOrNone(operationName))
    return undefined
  if (!isObjectOrNone(variables) || !isObjectOrNone(extensions)) return undefined
  const { persistedQuery, ...more } = (extensions ?? {}) as {
    persistedQuery?: { sha256Hash?: unknown }
  }
  if (
    Object.keys(more).length > 0 ||
    (persistedQuery && typeof persistedQuery.sha256Hash !== 'string')
  )
    return undefined
  return {
    ...documentReference({ query: query || undefined, documentId, extensions }),
    operationName: operationNameOf({ operationName }),
    ...(variables && { variables }),
  }
}

const isTextOrNone = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === 'string'

const isObjectOrNone = (value: unknown): value is Record<string, unknown> | null | undefined =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))
