import pRetry, { AbortError } from 'p-retry'
import { Agent, fetch, type RequestInit, type Response } from 'undici'
import { GatewayError } from '../errors.ts'

export interface ClientOptions {
  /** How long one attempt may take, its answer read to the end. */
  timeoutMs: number
  /** How many times an attempt that failed for a passing reason is repeated. */
  retries: number
  /** The largest answer that is read, in bytes, decompressed. */
  maxBytes: number
}

/** An HTTP client for servers that are not ours: with a deadline, retries (exponential, with jitter) and a bound on answers. */
export interface Client {
  /**
   * The body of an answer with status 200 (or 201, as the documented pools have it), whole.
   * @throws SOURCE_FAILED, in a sentence that names `source` and tells what it did
   */
  bytes(source: string, url: string, request?: ClientRequest): Promise<Buffer>
  /** The same body, parsed as JSON. */
  json(source: string, url: string, request?: ClientRequest): Promise<unknown>
  /**
   * An answer whose body is read by the caller, who destroys it where it is not read to the end; undefined for a 404.
   * Only its beginning is retried, and no bound is set on its length: for files.
   */
  open(source: string, url: string, request?: ClientRequest): Promise<Response | undefined>
  close(): Promise<void>
}

export interface ClientRequest {
  /** A JSON value, sent by POST; left out, the request is a GET. */
  json?: unknown
  /** A secret for `Authorization: Bearer`; it is in no message. */
  bearer?: string | undefined
  signal?: AbortSignal | undefined
}

const MIN_WAIT_MS = 250
const MAX_WAIT_MS = 10_000
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504])

/** A fault of the server that may pass. */
class PassingFault extends Error {
  readonly waitMs: number
  constructor(message: string, waitMs = 0) {
    super(message)
    this.waitMs = waitMs
  }
}

export function openClient({ timeoutMs, retries, maxBytes }: ClientOptions): Client {
  const agent = new Agent({ connect: { timeout: timeoutMs }, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })

  /** One attempt; what it throws is a PassingFault, or an AbortError around what ends the retries. */
  async function attempt<T>(
    url: string,
    { json, bearer, signal }: ClientRequest,
    read: (response: Response, deadline: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(timeoutMs)
    const init: RequestInit = {
      dispatcher: agent,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      headers: {
        accept: 'application/json, application/graphql-response+json, */*;q=0.5',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
    }
    try {
      const response = await fetch(url, init)
      if (PASSING.has(response.status)) {
        await response.body?.cancel()
        throw new PassingFault(`it answered ${response.status}`, retryAfter(response))
      }
      return await read(response, deadline)
    } catch (error) {
      if (error instanceof PassingFault || error instanceof AbortError) throw error
      if (signal?.aborted) throw new AbortError(signal.reason as Error)
      if (deadline.aborted) throw new PassingFault(`it did not answer within ${timeoutMs / 1000} s`)
      throw new PassingFault(reasonOf(error))
    }
  }

  async function retried<T>(
    source: string,
    request: ClientRequest,
    work: () => Promise<T>,
  ): Promise<T> {
    const { signal } = request
    try {
      return await pRetry(work, {
        retries,
        factor: 2,
        minTimeout: MIN_WAIT_MS,
        maxTimeout: MAX_WAIT_MS,
        randomize: true,
        ...(signal && { signal }),
        async onFailedAttempt({ error, retriesLeft }) {
          if (error instanceof PassingFault && error.waitMs > 0 && retriesLeft > 0) await pause(error.waitMs, signal)
        },
      })
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof PassingFault) {
        const times = retries > 0 ? ` (tried ${retries + 1} times)` : ''
        throw sourceFailed(source, `${error.message}${times}`)
      }
      throw error
    }
  }

  async function bytes(source: string, url: string, request: ClientRequest = {}): Promise<Buffer> {
    return retried(source, request, () =>
      attempt(url, request, async (response) => {
        if (response.status !== 200 && response.status !== 201) {
          await response.body?.cancel()
          throw new AbortError(sourceFailed(source, `it answered ${response.status}`))
        }
        const chunks: Uint8Array[] = []
        let length = 0
        for await (const chunk of response.body ?? []) {
          length += chunk.length
          if (length > maxBytes) throw new AbortError(sourceFailed(source, `its answer is longer than ${maxBytes} bytes`))
          chunks.push(chunk)
        }
        return Buffer.concat(chunks, length)
      }),
    )
  }

  return {
    bytes,
    async json(source, url, request) {
      return parseJson(source, await bytes(source, url, request))
    },
    open: (source, url, request = {}) =>
      retried(source, request, () =>
        attempt(url, request, async (response) => {
          if (response.status === 200) return response
          await response.body?.cancel()
          if (response.status === 404) return undefined
          throw new AbortError(sourceFailed(source, `it answered ${response.status}`))
        }),
      ),
    close: () => agent.close(),
  }
}

/** The error for a source that failed; `reason` is a clause that says what it did. */
export const sourceFailed = (source: string, reason: string) =>
  new GatewayError('SOURCE_FAILED', `${source} failed: ${reason}.`)

/** A body as JSON. @throws SOURCE_FAILED for one that is none */
export function parseJson(source: string, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    const start = body.toString('latin1', 0, 60).replace(/[^\x20-\x7e]+/g, ' ')
    throw sourceFailed(source, body.length === 0 ? 'its answer is empty' : `its answer is not JSON: ${start}…`)
  }
}

/** A URL as messages and records may show it: without user, password, query and fragment. */
export function shownUrl(text: string): string {
  const url = new URL(text)
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`
}

/** What `Retry-After` asks for, in ms, within reason. */
function retryAfter(response: Response): number {
  const text = response.headers.get('retry-after')
  if (text === null) return 0
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_WAIT_MS) : 0
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}

/** What a failed connection is called. */
function reasonOf(error: unknown): string {
  const { code, cause, message } = error as NodeJS.ErrnoException & { cause?: unknown }
  if (cause) return reasonOf(cause)
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host name is not known'
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || message === 'terminated') return 'it closed the connection'
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'it cannot be reached'
  return `it cannot be read${code ? ` (${code})` : ''}`
}
