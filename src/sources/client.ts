import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import pRetry, { AbortError } from 'p-retry'
import type { Dispatcher } from 'undici'
import { GatewayError } from '../errors.ts'
import { decoded, hostsOnly, keepSecret, withoutSecrets } from '../secrets.ts'
import { ForbiddenAddress, ForbiddenRedirect } from './address.ts'
import type { Agent } from './agent.ts'

export interface ClientOptions {
  /** The timeout of an attempt, up to the end of the answer or, for `open`, up to its start. */
  timeoutMs: number
  /** The maximum number of retries after transient failures. */
  retries: number
  /** The maximum size of an answer in bytes, decompressed. */
  maxBytes: number
  /** Without them, they are those of the settings' defaults. */
  limits?: FetchLimits
  /** The minimum delay before the first retry. It doubles with each retry. */
  waitMs?: number
  onFailedAttempt?(source: string, reason: string): void
}

/** The limits of one fetch from a source, with all of its requests. */
export interface FetchLimits {
  /** The bytes, as they arrive and decompressed. */
  bytes: number
  /** The records or lines, those that are not stored and empty ones included. */
  records: number
  seconds: number
}

export const FETCH_LIMITS: FetchLimits = {
  bytes: 16 * 1024 ** 3,
  records: 100_000_000,
  seconds: 3600,
}

/**
 * An HTTP client for external servers, with timeouts, retries (exponential, with jitter) and bounds
 * on answers and connections. It throws SOURCE_FAILED with a sentence that names `source` and says
 * what failed.
 */
export interface Client {
  /** The limits of each fetch. */
  limits: FetchLimits
  /** Reads the body of an answer with status 200 (or 201, which the documented pools have). */
  bytes(source: string, url: string, request?: ClientRequest): Promise<Buffer>
  json(source: string, url: string, request?: ClientRequest): Promise<unknown>
  /**
   * Opens an answer with any non-transient status. The caller reads or destroys the body. Retries
   * cover only the start of the answer, and only silence within it is bounded, not its length. Used
   * for files and to detect the kind of a server.
   */
  open(source: string, url: string, request?: ClientRequest): Promise<Answer>
  /**
   * The same client for the requests of one fetch, which ends at its limits.
   * @param bearer the secret of requests that bring no other
   */
  within(fetch: Fetch, bearer?: string): Client
  close(): Promise<void>
}

/** One fetch, whose requests share limits. */
export interface Fetch {
  signal: AbortSignal
  meter(what: 'arrived' | 'unzipped'): Transform
  lineMeter(): Transform
}

export interface ClientRequest {
  /** A JSON value to POST. Without it the request is a GET. */
  json?: unknown
  /** A secret for `Authorization: Bearer`. Never shown in messages. */
  bearer?: string | undefined
  /** Defaults to the signal of the fetch. */
  signal?: AbortSignal | undefined
  fetch?: Fetch | undefined
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
const MAX_MESSAGE_BYTES = 16_384
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504])

class PassingFault extends Error {
  readonly waitMs: number
  constructor(message: string, { waitMs = 0, cause }: { waitMs?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.waitMs = waitMs
  }
}

export function openClient(options: ClientOptions): Client {
  const {
    timeoutMs,
    retries,
    maxBytes,
    limits = FETCH_LIMITS,
    waitMs = MIN_WAIT_MS,
    onFailedAttempt,
  } = options
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
    { json, bearer, fetch, signal = fetch?.signal }: ClientRequest,
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
      const answer = answerOf(source, response, fetch)
      answer.body.once('close', forget)
      if (PASSING.has(answer.status)) {
        const detail = await messageOf(answer)
        throw new PassingFault(`it answered ${answer.status}${detail}`, { waitMs: answer.waitMs })
      }
      return await read(answer)
    } catch (error) {
      forget()
      if (error instanceof PassingFault || error instanceof AbortError) throw error
      if (signal?.aborted) throw new AbortError(signal.reason as Error)
      if (late)
        throw new PassingFault(`it did not answer within ${timeoutMs / 1000} s`, { cause: error })
      if (isForbidden(error)) throw new AbortError(sourceFailed(source, error.message))
      if (!isReadFault(error)) throw new AbortError(error as Error)
      throw new PassingFault(faultOf(error), { cause: error })
    } finally {
      clearTimeout(deadline)
    }
  }

  async function retried<T>(
    source: string,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await pRetry(work, {
        retries,
        factor: 2,
        minTimeout: waitMs,
        maxTimeout: MAX_WAIT_MS,
        randomize: true,
        ...(signal && { signal }),
        async onFailedAttempt({ error, retriesLeft }) {
          onFailedAttempt?.(source, withoutSecrets(error.message))
          if (error instanceof PassingFault && error.waitMs > 0 && retriesLeft > 0)
            await pause(error.waitMs, signal)
        },
      })
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (!(error instanceof PassingFault)) throw error
      throw sourceFailed(
        source,
        `${error.message}${retries > 0 ? ` (tried ${retries + 1} times)` : ''}`,
      )
    }
  }

  async function bytes(source: string, url: string, request: ClientRequest = {}): Promise<Buffer> {
    return retried(source, request.signal ?? request.fetch?.signal, () =>
      attempt(source, url, request, async (answer) => {
        if (answer.status !== 200 && answer.status !== 201)
          throw new AbortError(sourceFailed(source, `${refusal(answer)}${await messageOf(answer)}`))
        const body = await readWhole(answer, maxBytes)
        const reason = `its answer is longer than ${maxBytes} bytes, the limit of SOURCE_MAX_BYTES`
        if (!body) throw new AbortError(sourceFailed(source, reason))
        return body
      }),
    )
  }

  function clientWithin(fetch?: Fetch, secret?: string): Client {
    const complete = ({ bearer = secret, ...request }: ClientRequest = {}): ClientRequest => ({
      fetch,
      ...request,
      bearer,
    })
    return {
      limits,
      bytes: (source, url, request) => bytes(source, url, complete(request)),
      json: async (source, url, request) =>
        parseJson(source, await bytes(source, url, complete(request))),
      open: (source, url, request = {}) =>
        retried(source, request.signal ?? fetch?.signal, () =>
          attempt(source, url, complete(request), async (answer) => answer),
        ),
      within: (fetch, bearer = secret) => clientWithin(fetch, bearer),
      close: async () => (await agent)?.close(),
    }
  }
  return clientWithin()
}

/** The error for a failed source. `reason` is a clause that says what happened. */
export function sourceFailed(source: string, reason: string): GatewayError {
  const sentence = withoutSecrets(reason)
    .replace(/[.\s]+$/, '')
    .replace(/(?<![?!])$/, '.')
  return new GatewayError('SOURCE_FAILED', `${source} failed: ${sentence}`)
}

/** Describes a status other than 200, as a clause. */
export const refusal = ({ status }: { status: number }) =>
  status === 401 || status === 403 ? `it refused access (${status})` : `it answered ${status}`

/** Parses a body as JSON. @throws SOURCE_FAILED if it is not JSON */
export function parseJson(source: string, body: Buffer): unknown {
  try {
    return jsonOf(body)
  } catch {
    if (body.length === 0) throw sourceFailed(source, 'its answer is empty')
    const start = foreign(body.toString('utf8', 0, 2000), 60)
    throw sourceFailed(
      source,
      `its answer is not JSON${start.startsWith('<') ? ', but HTML' : ''}: ${start}`,
    )
  }
}

// Some servers begin JSON with a byte order mark.
const jsonOf = (body: Buffer): unknown => JSON.parse(body.toString().replace(/^\uFEFF/, ''))

/** Shortens a text of a source for a message, and removes control characters. */
export function cut(text: string, length = 200): string {
  const plain = withoutSecrets(hostsOnly(text.replace(/[\p{C}\s]+/gu, ' ').trim()))
  return plain.length > length ? `${plain.slice(0, length)}…` : plain
}

/**
 * Shortens a text that others wrote, and leaves in it only words, numbers and addresses: others may
 * be keys.
 */
export function foreign(text: string, length?: number): string {
  return cut(
    cut(text, MAX_MESSAGE_BYTES)
      .replace(/(?<=^|[\s"'(=>])\/\w\S*/g, '…')
      .replace(/[\w%~+-]+/g, (word) => (isPlain(word) ? word : '…')),
    length,
  )
}

const PLAIN = [/^0x[0-9a-f]{40}$/i, /^-?\d{1,20}$/, /^\d{4}-\d\d-\d\d(T\d\d)?$/]
const isPlain = (word: string) =>
  PLAIN.some((form) => form.test(word)) || (word.length <= 40 && !/(\d\D*){4}/.test(word))

/** True if a location is an http(s) URL. Otherwise it is a directory. */
export const isRemote = (place: string) => /^https?:\/\//i.test(place)

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
  // System errors name addresses and paths. Other messages say what is wrong with a certificate or
  // an answer.
  const isSystemError = (error as NodeJS.ErrnoException).syscall !== undefined
  if (isForbidden(error)) return error.message
  if (isSystemError || !isReadFault(error)) return `it cannot be read${code && ` (${code})`}`
  return `it cannot be read: ${foreign(message)}${code && ` (${code})`}`
}

/**
 * True if an error is from the network, the file system or the other server, and not a fault of
 * ours.
 */
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

// Moves a user and a password from the URL to the header.
function target(
  text: string,
  bearer: string | undefined,
): { href: string; authorization: string | undefined } {
  const url = new URL(text)
  const { username, password } = url
  keepSecret(bearer)
  url.username = ''
  url.password = ''
  url.hash = ''
  if (bearer !== undefined) return { href: url.href, authorization: `Bearer ${bearer}` }
  if (username === '' && password === '') return { href: url.href, authorization: undefined }
  const user = `${decoded(username)}:${decoded(password)}`
  return { href: url.href, authorization: `Basic ${Buffer.from(user).toString('base64')}` }
}

// True for a redirect or an address that no request may follow. Their messages are clauses.
const isForbidden = (error: unknown): error is Error =>
  error instanceof ForbiddenAddress || error instanceof ForbiddenRedirect

function answerOf(
  source: string,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  fetch: Fetch | undefined,
): Answer & { waitMs: number } {
  const header = (name: string) => String(headers[name] ?? '').toLowerCase()
  // The reader reports errors. There may be no reader yet, or no longer.
  body.on('error', () => {})
  const encoding = header('content-encoding')
  const zipped = encoding === 'gzip' || encoding === 'x-gzip'
  if (!zipped && encoding !== '' && encoding !== 'identity') {
    body.destroy()
    throw new AbortError(
      sourceFailed(source, `it answers in ${cut(encoding, 20)}, which was not requested`),
    )
  }
  const length = header('content-length')
  const date = new Date(header('date'))
  return {
    status: statusCode,
    type: header('content-type').replace(/;.*/s, '').trim(),
    size: zipped || !/^\d+$/.test(length) ? undefined : Number(length),
    ends: length !== '' || header('transfer-encoding') !== '',
    body: bodyOf(body, zipped, fetch),
    unzipped: zipped,
    date: Number.isNaN(date.getTime()) ? undefined : date,
    waitMs: retryAfter(header('retry-after')),
  }
}

function bodyOf(body: Readable, zipped: boolean, fetch: Fetch | undefined): Readable {
  const steps = [
    ...(fetch ? [fetch.meter('arrived')] : []),
    ...(zipped ? [createGunzip()] : []),
    ...(fetch && zipped ? [fetch.meter('unzipped')] : []),
  ]
  return steps.length === 0 ? body : (pipeline([body, ...steps], () => {}) as Transform)
}

// Reads a body. Undefined if it is longer than `maxBytes`.
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

// The message in an error's body, in common formats, as the rest of a clause.
async function messageOf(answer: Answer): Promise<string> {
  if (!answer.type.endsWith('json')) {
    answer.body.destroy()
    return ''
  }
  try {
    const value = jsonOf((await readWhole(answer, MAX_MESSAGE_BYTES)) ?? Buffer.of())
    const { errors, detail, message, error, title } = value as ErrorBody
    const text = [errors?.[0]?.message, detail, message, error?.message, error, title].find(isText)
    return text ? `: ${foreign(text)}` : ''
  } catch {
    return ''
  }
}

// The fields of common formats of errors. None of them is certain.
interface ErrorBody {
  errors?: { message?: unknown }[]
  error?: { message?: unknown }
  detail?: unknown
  message?: unknown
  title?: unknown
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

// The delay of `Retry-After` in ms, within bounds.
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
