import { hash } from 'node:crypto'
import type { Caller, DataVersions } from '../../db/connect/scope.ts'
import { REQUEST_TIME } from '../../rest/endpoint.ts'

export type Encoding = 'br' | 'gzip'

/** A response that is ready to send. */
export interface HttpAnswer {
  /** The kind of answer, for logs and metrics: the path of an endpoint, or an operation. */
  name: string
  key: string | undefined
  status: number
  type: string
  body: Buffer
  /** The offset of REQUEST_TIME in the body, which the time of each request overwrites. */
  timeAt?: number
  etag: string
  link?: string | undefined
  /** The data versions that it may be from. Undefined without replicas. */
  versions?: DataVersions | undefined
  /** Compressed bodies, made on first use. */
  compressed: Partial<Record<Encoding, Buffer>>
}

/** The result of computing an answer on a cache miss. Gateways share it as JSON. */
export interface ComputedAnswer extends Pick<HttpAnswer, 'name' | 'status' | 'link' | 'versions'> {
  json: string
  timed?: boolean | undefined
  /** The weak ETag of an answer that depends on the time of its request and so is not cached. */
  etag?: string
}

/**
 * The use of the cache by a request: `joined` sent the answer that another request was computing.
 */
export type CacheResult = 'hit' | 'joined' | 'shared' | 'miss' | 'bypass'

/** A request for an answer. The cache notes in it what it did. */
export interface CacheClient extends Caller {
  cache?: CacheResult | undefined
  readonly bypassesCache: boolean
}

const JSON_TYPE = 'application/json; charset=utf-8'
// Below this size, compression saves too little.
const COMPRESS_FROM = 1024

/** @param key the cache key of an answer that may be cached */
export function answerOf(
  key: string | undefined,
  { name, status, json, timed, link, etag: weak, versions }: ComputedAnswer,
): HttpAnswer {
  const body = Buffer.from(json)
  const timeAt = timed ? body.indexOf(REQUEST_TIME) : -1
  let etag = weak
  return {
    name,
    key: weak === undefined ? key : undefined,
    status,
    type: JSON_TYPE,
    body,
    ...(timeAt >= 0 && { timeAt }),
    // Hashed when it is sent: answers to POSTs have none.
    get etag() {
      etag ??= tagOf(this.body, { weak: timed })
      return etag
    },
    link,
    versions,
    compressed: {},
  }
}

/** The ETag of a body: hashed in one call, which is faster than the package. */
export const tagOf = (
  body: string | Buffer,
  { weak = false }: { weak?: boolean | undefined } = {},
) => `${weak ? 'W/' : ''}"${hash('sha1', body, 'base64url')}"`

/**
 * True if the client's tag matches, in any encoding. Ignores `cache-control: no-cache`, which fetch
 * adds and which addresses caches.
 */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  const tags = ifNoneMatch.replace(/-(br|gzip)"/g, '"').split(',')
  return tags.some((tag) => opaque(tag) === opaque(etag))
}

/** True if an answer may be sent compressed: an uncached one would be compressed each time. */
export const isCompressible = ({ key, body, timeAt }: HttpAnswer): boolean =>
  key !== undefined && timeAt === undefined && body.length >= COMPRESS_FROM

/** The body with the time of the request, where it has one. */
export function timedBody({ body, timeAt }: HttpAnswer, now: () => Date): Buffer {
  if (timeAt === undefined) return body
  const copy = Buffer.from(body)
  copy.write(now().toISOString(), timeAt, 'latin1')
  return copy
}

/** True if an answer is of a data version that its client requires. */
export const isNewEnough = (
  { versions }: Pick<HttpAnswer, 'versions'>,
  minVersion: number | undefined,
): boolean => minVersion === undefined || (versions !== undefined && versions.from >= minVersion)
