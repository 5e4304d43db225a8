import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import pRetry, { AbortError } from 'p-retry'
import type { Dispatcher } from 'undici'
import { GatewayError } from '../errors.ts'
import type { Agent } from './agent.ts'

export interface ClientOptions {
  /** The timeout of an attempt, up to the end of the answer or, for `open`, up to its start. */
  timeoutMs: number
  /** The maximum number of retries after transient failures. */
  retries: number
  /** The maximum size of an answer in bytes, decompressed. */
  maxBytes: number
  /** The minimum delay before the first retry. It doubles with each retry. */
  waitMs?: number
  onFailedAttempt?(source: string, error: Error): void
}

/**
 * An HTTP client for external servers, with timeouts, retries (exponential, with jitter) and bounds on answers and
 * connections. It throws SOURCE_FAILED with a sentence that names `source` and says what failed.
 */
export interface Client {
  /** Reads the body of an answer with status 200 (or 201, which the documented pools have). */
  bytes(source: string, url: string, request?: ClientRequest): Promise<Buffer>
  json(source: string, url: string, request?: ClientRequest): Promise<unknown>
  /**
   * Opens an answer with any non-transient status. The caller reads or destroys the body. Retries cover only the start of the
   * answer, and only silence within it is bounded, not its length. Used for files and to detect the kind of a server.
   */
  open(source: string, url: string, request?: ClientRequest): Promise<Answer>
  close(): Promise<void>
}

export interface ClientRequest {
  /** A JSON value to POST. Without it the request is a GET. */
  json?: unknown
  /** A secret for `Authorization: Bearer`. Never shown in messages. */
  bearer?: string | undefined
  signal?: AbortSignal | undefined
  /** Refuses an answer after a redirect to another host. */
  sameHost?: boolean
}

export interface Answer {
  status: number
  /** The media type in lower case, without parameters. */
  type: string
  /** The length in bytes, if known. */
  size: number | undefined
  /** True if the end of the body is detectable. Otherwise it may be truncated without notice. */
  ends: boolean
  /** The body, decompressed if the server compressed it in transit. */
  body: Readable
  /** True if it was compressed in transit. */
  unzipped: boolean
  /** The time of the server's clock, if it sent it. */
  date: Date | undefined
}

const MIN_WAIT_MS = 250
const MAX_WAIT_MS = 10_000
const MAX_RETRY_AFTER_MS = 60_000
const MAX_TOLD_BYTES = 16_384
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504])

/** A transient fault of the server. */
class PassingFault extends Error {
  readonly waitMs: number
  constructor(message: string, { waitMs = 0, cause }: { waitMs?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.waitMs = waitMs
  }
}

export function openClient(options: ClientOptions): Client {
  const { timeoutMs, retries, maxBytes, waitMs = MIN_WAIT_MS, onFailedAttempt } = options
  let agent: Promise<Agent> | undefined
  /** Loads undici on first use, since most gateways have no source. */
  async function open(): Promise<Agent> {
    agent ??= import('./agent.ts').then(({ openAgent }) => openAgent(timeoutMs))
    return agent.catch((error) => {
      throw new AbortError(error)
    })
  }

  /** One attempt. Throws a PassingFault to retry, or an AbortError with the final error. */
  async function attempt<T>(
    source: string,
    url: string,
    { json, bearer, signal, sameHost }: ClientRequest,
    read: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    const stop = new AbortController()
    const onAbort = () => stop.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    const forget = () => signal?.removeEventListener('abort', onAbort)
    const { request } = await open()
    let late = false
    const deadline = setTimeout(() => {
      late = true
      stop.abort()
    }, timeoutMs)
    try {
      const { href, authorization } = target(url, bearer)
      const response = await request(href, {
        signal: stop.signal,
        method: json === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json, application/graphql-response+json, */*;q=0.5',
          'accept-encoding': 'gzip',
          'user-agent': 'lending-graph-gateway',
          ...(authorization !== undefined && { authorization }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      })
      const host = sameHost ? otherHost(href, response) : undefined
      if (host !== undefined) {
        response.body.on('error', () => {}).destroy()
        throw new AbortError(sourceFailed(source, `it redirects to another host, ${host}`))
      }
      const answer = answerOf(source, response)
      answer.body.once('close', forget)
      if (PASSING.has(answer.status)) {
        const detail = await messageOf(answer, bearer)
        throw new PassingFault(`it answered ${answer.status}${detail}`, { waitMs: answer.waitMs })
      }
      return await read(answer)
    } catch (error) {
      forget()
      if (error instanceof PassingFault || error instanceof AbortError) throw error
      if (signal?.aborted) throw new AbortError(signal.reason as Error)
      if (late) throw new PassingFault(`it did not answer within ${timeoutMs / 1000} s`, { cause: error })
      if (!isReadFault(error)) throw new AbortError(error as Error)
      throw new PassingFault(faultOf(error), { cause: error })
    } finally {
      clearTimeout(deadline)
    }
  }

  async function retried<T>(source: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await pRetry(work, {
        retries,
        factor: 2,
        minTimeout: waitMs,
        maxTimeout: MAX_WAIT_MS,
        randomize: true,
        ...(signal && { signal }),
        async onFailedAttempt({ error, retriesLeft }) {
          onFailedAttempt?.(source, error)
          if (error instanceof PassingFault && error.waitMs > 0 && retriesLeft > 0) await pause(error.waitMs, signal)
        },
      })
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (!(error instanceof PassingFault)) throw error
      throw sourceFailed(source, `${error.message}${retries > 0 ? ` (tried ${retries + 1} times)` : ''}`)
    }
  }

  async function bytes(source: string, url: string, request: ClientRequest = {}): Promise<Buffer> {
    return retried(source, request.signal, () =>
      attempt(source, url, request, async (answer) => {
        if (answer.status !== 200 && answer.status !== 201)
          throw new AbortError(sourceFailed(source, `${refusal(answer)}${await messageOf(answer, request.bearer)}`))
        const body = await readWhole(answer, maxBytes)
        if (!body) throw new AbortError(sourceFailed(source, `its answer is longer than ${maxBytes} bytes`))
        return body
      }),
    )
  }

  return {
    bytes,
    async json(source, url, request) {
      return parseJson(source, await bytes(source, url, request))
    },
    open: (source, url, request = {}) =>
      retried(source, request.signal, () => attempt(source, url, request, async (answer) => answer)),
    close: async () => (await agent)?.close(),
  }
}

/** The error for a failed source. `reason` is a clause that says what happened. */
export const sourceFailed = (source: string, reason: string) =>
  new GatewayError('SOURCE_FAILED', `${source} failed: ${reason.replace(/[.\s]+$/, '').replace(/(?<![?!])$/, '.')}`)

/** Describes a status other than 200, as a clause. */
export const refusal = ({ status }: { status: number }) =>
  status === 401 || status === 403 ? `it refused access (${status})` : `it answered ${status}`

/** Parses a body as JSON. @throws SOURCE_FAILED if it is not JSON */
export function parseJson(source: string, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    if (body.length === 0) throw sourceFailed(source, 'its answer is empty')
    const start = cut(body.toString('utf8', 0, 200), 60)
    throw sourceFailed(source, `its answer is not JSON${start.startsWith('<') ? ', but HTML' : ''}: ${start}`)
  }
}

/** Shortens a text of a source for a message, and removes control characters. */
export function cut(text: string, length = 200): string {
  const plain = text.replace(/[\p{C}\s]+/gu, ' ').trim()
  return plain.length > length ? `${plain.slice(0, length)}…` : plain
}

/** True if a location is an http(s) URL. Otherwise it is a directory. */
export const isRemote = (place: string) => /^https?:\/\//i.test(place)

/** A URL without user, password, query and fragment, for messages and records. */
export function shownUrl(text: string): string {
  const url = new URL(text)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Appends a path to a base URL, before its query. */
export function urlBelow(base: string, path: string): string {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url.href
}

/** Describes the failure of a connection or a body, as a clause. */
export function faultOf(error: unknown): string {
  const { code = '', cause, message } = error as NodeJS.ErrnoException & { cause?: unknown }
  if (cause) return faultOf(cause)
  // The message of undici's parser if a connection ends within an answer.
  if (/EOF state/.test(message)) return faults.ECONNRESET
  if (code.startsWith('Z_')) return faults[code] ?? 'it is no valid gzip'
  if (faults[code] !== undefined) return faults[code]
  // System errors name addresses and paths. Other messages say what is wrong with a certificate or an answer.
  const isSystemError = (error as NodeJS.ErrnoException).syscall !== undefined
  if (isSystemError || !isReadFault(error)) return `it cannot be read${code && ` (${code})`}`
  return `it cannot be read: ${cut(message)}${code && ` (${code})`}`
}

/** True if an error is from the network, the file system or the other server, and not a fault of ours. */
export function isReadFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, cause, name } = error as NodeJS.ErrnoException
  return typeof code === 'string' || name === 'HTTPParserError' || isReadFault(cause)
}

const UNREACHABLE = 'it cannot be reached'
const CUT = 'it closed the connection before the end'
const faults: Record<string, string> & { ECONNRESET: string } = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name is not known',
  UND_ERR_CONNECT_TIMEOUT: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  UND_ERR_BODY_TIMEOUT: 'it stopped in the middle of its answer',
  ECONNRESET: CUT,
  EPIPE: CUT,
  UND_ERR_SOCKET: CUT,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CUT,
  Z_BUF_ERROR: 'it is cut off: the compressed data has no end',
}

/** Moves a user and a password from the URL to the header. */
function target(text: string, bearer: string | undefined): { href: string; authorization: string | undefined } {
  const url = new URL(text)
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  if (bearer !== undefined) return { href: url.href, authorization: `Bearer ${bearer}` }
  if (username === '' && password === '') return { href: url.href, authorization: undefined }
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { href: url.href, authorization: `Basic ${Buffer.from(user).toString('base64')}` }
}

/** The host of the last redirect, if it is another one. */
function otherHost(href: string, { context }: Dispatcher.ResponseData): string | undefined {
  const { history } = context as { history?: URL[] }
  const last = history?.at(-1)
  return last && last.host !== new URL(href).host ? last.host : undefined
}

function answerOf(source: string, { statusCode, headers, body }: Dispatcher.ResponseData): Answer & { waitMs: number } {
  const header = (name: string) => String(headers[name] ?? '').toLowerCase()
  // The reader reports errors. There may be no reader yet, or no longer.
  body.on('error', () => {})
  const encoding = header('content-encoding')
  const zipped = encoding === 'gzip' || encoding === 'x-gzip'
  if (!zipped && encoding !== '' && encoding !== 'identity') {
    body.destroy()
    throw new AbortError(sourceFailed(source, `it answers in ${cut(encoding, 20)}, which was not requested`))
  }
  const length = header('content-length')
  const date = new Date(header('date'))
  return {
    status: statusCode,
    type: header('content-type').replace(/;.*/s, '').trim(),
    size: zipped || !/^\d+$/.test(length) ? undefined : Number(length),
    ends: length !== '' || header('transfer-encoding') !== '',
    body: zipped ? pipeline(body, createGunzip(), () => {}) : body,
    unzipped: zipped,
    date: Number.isNaN(date.getTime()) ? undefined : date,
    waitMs: retryAfter(header('retry-after')),
  }
}

/** Reads a body. Undefined if it is longer than `maxBytes`. */
async function readWhole({ body }: Answer, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length
    // Leaving the loop destroys the body.
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

/** The message in an error's body, in common formats, as the rest of a clause. */
async function messageOf(answer: Answer, secret: string | undefined): Promise<string> {
  if (!answer.type.endsWith('json')) {
    answer.body.destroy()
    return ''
  }
  try {
    const value = JSON.parse(String(await readWhole(answer, MAX_TOLD_BYTES)))
    const { errors, detail, message, error, title } = value
    const text = [errors?.[0]?.message, detail, message, error?.message, error, title].find(isText)
    return text ? `: ${cut(secret ? text.replaceAll(secret, '…') : text)}` : ''
  } catch {
    return ''
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** The delay of `Retry-After` in ms, within bounds. */
function retryAfter(text: string): number {
  if (text === '') return 0
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : 0
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
    if (signal?.aborted) done()
  })
}
