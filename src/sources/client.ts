import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import pRetry, { AbortError } from 'p-retry'
import type { Dispatcher } from 'undici'
import { GatewayError } from '../errors.ts'
import type { Agent } from './agent.ts'

export interface ClientOptions {
  /** How long one attempt may take: until its answer was read to the end, or, for `open`, until it begins. */
  timeoutMs: number
  /** How many times an attempt that failed for a passing reason is repeated. */
  retries: number
  /** The largest answer that is read, in bytes, decompressed. */
  maxBytes: number
  /** The shortest wait before the first repetition; it doubles from one to the next. */
  waitMs?: number
  /** Called for each attempt that failed, with the error that says why. */
  onFailedAttempt?(source: string, error: Error): void
}

/**
 * An HTTP client for servers that are not ours: with deadlines, retries (exponential, with jitter), a bound on answers
 * and on connections. What it throws is SOURCE_FAILED, in a sentence that names `source` and tells what it did.
 */
export interface Client {
  /** The body of an answer with status 200 (or 201, as the documented pools have it), whole. */
  bytes(source: string, url: string, request?: ClientRequest): Promise<Buffer>
  /** The same body, parsed as JSON. */
  json(source: string, url: string, request?: ClientRequest): Promise<unknown>
  /**
   * An answer with any status but those that may pass; the caller reads its body or destroys it. Only its beginning is
   * retried. No bound is set on its length, only on the silence within it: for files, and to find out what a server is.
   */
  open(source: string, url: string, request?: ClientRequest): Promise<Answer>
  close(): Promise<void>
}

export interface ClientRequest {
  /** A JSON value, sent by POST; left out, the request is a GET. */
  json?: unknown
  /** A secret for `Authorization: Bearer`; it is in no message. */
  bearer?: string | undefined
  signal?: AbortSignal | undefined
}

export interface Answer {
  status: number
  /** Its media type, lower-case, without parameters. */
  type: string
  /** Its length in bytes, where that is known. */
  size: number | undefined
  /** Whether it says where it ends. One that does not may be cut without a sign of it. */
  ends: boolean
  /** Decompressed, where the server compressed it for the way. */
  body: Readable
  /** Whether it was compressed. */
  unzipped: boolean
}

const MIN_WAIT_MS = 250
const MAX_WAIT_MS = 10_000
const MAX_RETRY_AFTER_MS = 60_000
const MAX_TOLD_BYTES = 16_384
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504])

/** A fault of the server that may pass. */
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
  /** Most gateways ask nobody: undici is loaded for those that do. */
  async function open(): Promise<Agent> {
    agent ??= import('./agent.ts').then(({ openAgent }) => openAgent(timeoutMs))
    return agent.catch((error) => {
      throw new AbortError(error)
    })
  }

  /** One attempt; what it throws is a PassingFault, or an AbortError around what ends the retries. */
  async function attempt<T>(
    source: string,
    url: string,
    { json, bearer, signal }: ClientRequest,
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
      const answer = answerOf(
        source,
        await request(href, {
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
        }),
      )
      answer.body.once('close', forget)
      if (PASSING.has(answer.status)) {
        const told = await toldBy(answer, bearer)
        throw new PassingFault(`it answered ${answer.status}${told}`, { waitMs: answer.waitMs })
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
          throw new AbortError(sourceFailed(source, `${refusal(answer)}${await toldBy(answer, request.bearer)}`))
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

/** The error for a source that failed; `reason` is a clause that says what it did. */
export const sourceFailed = (source: string, reason: string) =>
  new GatewayError('SOURCE_FAILED', `${source} failed: ${reason.replace(/[.\s]+$/, '')}.`)

/** What a status other than 200 comes to, as a clause. */
export const refusal = ({ status }: { status: number }) =>
  status === 401 || status === 403 ? `it refused access (${status})` : `it answered ${status}`

/** A body as JSON. @throws SOURCE_FAILED for one that is none */
export function parseJson(source: string, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    if (body.length === 0) throw sourceFailed(source, 'its answer is empty')
    const start = cut(body.toString('utf8', 0, 200), 60)
    throw sourceFailed(source, `its answer is not JSON${start.startsWith('<') ? ', but HTML' : ''}: ${start}`)
  }
}

/** A text of a source, short enough for a message and without what a terminal should not get. */
export function cut(text: string, length = 200): string {
  const plain = text.replace(/[\p{C}\s]+/gu, ' ').trim()
  return plain.length > length ? `${plain.slice(0, length)}…` : plain
}

/** Whether a place is an http(s) URL; otherwise it is a directory. */
export const isRemote = (place: string) => /^https?:\/\//i.test(place)

/** A URL as messages and records may show it: without user, password, query and fragment. */
export function shownUrl(text: string): string {
  const url = new URL(text)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** A path below a base URL; what follows the base's `?` stays. */
export function urlBelow(base: string, path: string): string {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url.href
}

/** What a connection or a body that failed did, as a clause. */
export function faultOf(error: unknown): string {
  const { code = '', cause, message } = error as NodeJS.ErrnoException & { cause?: unknown }
  if (cause) return faultOf(cause)
  // The message is what undici's parser says at the end of a connection within an answer.
  if (/EOF state/.test(message)) return faults.ECONNRESET
  if (code.startsWith('Z_')) return faults[code] ?? 'it is no valid gzip'
  if (faults[code] !== undefined) return faults[code]
  // The message of a system error names addresses and paths; others say what is wrong with a certificate or an answer.
  const isSystemError = (error as NodeJS.ErrnoException).syscall !== undefined
  if (isSystemError || !isReadFault(error)) return `it cannot be read${code && ` (${code})`}`
  return `it cannot be read: ${cut(message)}${code && ` (${code})`}`
}

/** Whether an error is of the network, the file system or the other server. Others are faults of ours. */
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

/** A user and a password in the URL are for the header: they are no part of what is asked for. */
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

function answerOf(source: string, { statusCode, headers, body }: Dispatcher.ResponseData): Answer & { waitMs: number } {
  const header = (name: string) => String(headers[name] ?? '').toLowerCase()
  // What fails is told by whoever reads; nobody may be reading yet, or any more.
  body.on('error', () => {})
  const encoding = header('content-encoding')
  const zipped = encoding === 'gzip' || encoding === 'x-gzip'
  if (!zipped && encoding !== '' && encoding !== 'identity') {
    body.destroy()
    throw new AbortError(sourceFailed(source, `it answers in ${cut(encoding, 20)}, which it was not asked for`))
  }
  const length = header('content-length')
  return {
    status: statusCode,
    type: header('content-type').replace(/;.*/s, '').trim(),
    size: zipped || !/^\d+$/.test(length) ? undefined : Number(length),
    ends: length !== '' || header('transfer-encoding') !== '',
    body: zipped ? pipeline(body, createGunzip(), () => {}) : body,
    unzipped: zipped,
    waitMs: retryAfter(header('retry-after')),
  }
}

/** The whole body; undefined for one that is longer than `maxBytes`. */
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

/** What an error's body says of it, in the forms that servers commonly give it, as the rest of a clause. */
async function toldBy(answer: Answer, secret: string | undefined): Promise<string> {
  if (!answer.type.endsWith('json')) {
    answer.body.destroy()
    return ''
  }
  try {
    const value = JSON.parse(String(await readWhole(answer, MAX_TOLD_BYTES)))
    const { errors, detail, message, error, title } = value
    const told = [errors?.[0]?.message, detail, message, error?.message, error, title].find(isText)
    return told ? `: ${cut(secret ? told.replaceAll(secret, '…') : told)}` : ''
  } catch {
    return ''
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** What `Retry-After` asks for, in ms, within reason. */
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
