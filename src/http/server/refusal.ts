import type { IncomingMessage, ServerResponse } from 'node:http'
import { corsHeaders } from './cors.ts'
import { problem } from './problem.ts'

interface RefusalOptions {
  status: number
  /** The error code for GraphQL clients. */
  code: string
  message: string
  /** In seconds. */
  retryAfter?: number
  /** Whether to close the connection. */
  close?: boolean
}

/** The connection is closed rather than reading a longer body. */
const MAX_UNREAD_BYTES = 64 * 1024

/** A prepared rejection of an unread request: a problem document, or a GraphQL error at /graphql. */
export class Refusal {
  readonly #options: RefusalOptions
  readonly #problem: Buffer
  readonly #graphql: Buffer

  /** The error for a client of a WebSocket. */
  get error(): Pick<RefusalOptions, 'code' | 'message'> {
    return this.#options
  }

  constructor(options: RefusalOptions) {
    const { status, code, message } = options
    this.#options = options
    this.#problem = Buffer.from(JSON.stringify(problem(status, message)))
    this.#graphql = Buffer.from(JSON.stringify({ errors: [{ message, extensions: { code } }] }))
  }

  send(requestId: string, request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '', headers } = request
    const { status, retryAfter, close = false } = this.#options
    const isGraphQL = /^\/graphql\b/i.test(url)
    const body = isGraphQL ? this.#graphql : this.#problem
    const type = !isGraphQL
      ? 'application/problem+json'
      : headers.accept?.includes('application/graphql-response+json')
        ? 'application/graphql-response+json'
        : 'application/json'
    const head = ['request-id', requestId, 'vary', 'Origin', ...corsHeaders, 'cache-control', 'no-store']
    head.push('content-type', `${type}; charset=utf-8`, 'content-length', String(body.length))
    if (retryAfter !== undefined) head.push('retry-after', String(retryAfter))
    if (close || hasLongBody(headers)) head.push('connection', 'close')
    response.writeHead(status, head).end(method === 'HEAD' ? undefined : body)
  }
}

const hasLongBody = (headers: IncomingMessage['headers']) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_UNREAD_BYTES
