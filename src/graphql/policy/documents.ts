import { createHash } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Cache } from '../../cache/cache.ts'
import { refusal } from '../execution/errors.ts'

/** How a request names the document that it asks for: by its text, by an id, by its hash, or by its hash with its text. */
export interface AskedDocument {
  query?: string | undefined
  /** `sha256:` and the hash of the text of a known document. */
  documentId?: string | undefined
  /** `extensions.persistedQuery.sha256Hash` of automatic persisted queries. */
  hash?: string | undefined
}

/** The parameters of a request, as it sent them. */
export interface RequestParams {
  query?: unknown
  documentId?: unknown
  operationName?: unknown
  variables?: unknown
  extensions?: unknown
}

/** How a request's parameters name its document. What should be text and is not names none that is known. */
export function askedDocument({ query, documentId, extensions }: RequestParams): AskedDocument {
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } }
  return {
    query: textOf(query ?? undefined),
    documentId: textOf(documentId ?? undefined),
    hash: persistedQuery ? textOf(persistedQuery.sha256Hash ?? null) : undefined,
  }
}

const textOf = (given: unknown) => (given === undefined || typeof given === 'string' ? given : JSON.stringify(given))

export interface DocumentsOptions {
  /** The documents that are known from the start. */
  known: Iterable<string>
  /** Only those may be asked for. */
  trustedOnly: boolean
  /** What several gateways share of the documents that clients have sent; undefined: there is nothing. */
  shared?: Pick<Cache, 'get' | 'set'> | undefined
}

const MAX_TEXTS = 1000
const MAX_CHARACTERS = 8_000_000
/** A longer one is executed and not remembered. */
const MAX_TEXT = 64 * 1024
const HASH = /^[0-9a-f]{64}$/

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** What a known document is asked for by. */
export const idOfDocument = (text: string) => `sha256:${sha256(text)}`

/** The documents that a request may name without sending them: known ones, and those that a client has sent before. */
export class Documents {
  readonly #known: Map<string, string>
  readonly #knownTexts: Set<string>
  readonly #trustedOnly: boolean
  readonly #shared: Pick<Cache, 'get' | 'set'> | undefined
  /** By hash, those that clients have sent. */
  readonly #sent = new LRUCache<string, string>({
    max: MAX_TEXTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (text) => text.length + 100,
  })

  constructor({ known, trustedOnly, shared }: DocumentsOptions) {
    this.#knownTexts = new Set(known)
    this.#known = new Map([...this.#knownTexts].map((text) => [sha256(text), text]))
    this.#trustedOnly = trustedOnly
    this.#shared = shared
  }

  /** A document's text, where it needs no thought; undefined: `resolve` finds it, or says why not. */
  find({ query, documentId, hash }: AskedDocument): string | undefined {
    if (documentId !== undefined)
      return query === undefined && hash === undefined ? this.#known.get(hashIn(documentId)) : undefined
    if (hash !== undefined) {
      const text = this.#known.get(hash) ?? (this.#trustedOnly ? undefined : this.#sent.get(hash))
      return query === undefined || query === text ? text : undefined
    }
    return query === undefined || !this.#trustedOnly || this.#knownTexts.has(query) ? query : undefined
  }

  /**
   * A document's text. One that is sent with its hash is remembered.
   * @throws GraphQLError that says what is wrong with the request
   */
  async resolve(asked: AskedDocument): Promise<string> {
    const { query, documentId, hash } = asked
    const found = this.find(asked)
    if (found !== undefined) return found
    if (documentId !== undefined) {
      if (query !== undefined || hash !== undefined)
        throw badRequest('Send either the documentId of a known document or a query, not both.')
      throw refusal(
        'DOCUMENT_NOT_KNOWN',
        `No document is known as ${documentId.slice(0, 100)}. ${this.#trustedOnly ? 'Have' : 'Send its text as query, or have'} it added to KNOWN_DOCUMENTS under sha256: and the SHA-256 of its text in hexadecimal.`,
      )
    }
    if (hash !== undefined && query !== undefined && sha256(query) !== hash)
      throw refusal(
        'PERSISTED_QUERY_HASH_MISMATCH',
        `PersistedQueryHashMismatch: sha256Hash is not that of the query, which is ${sha256(query)}.`,
      )
    if (this.#trustedOnly)
      throw refusal(
        'DOCUMENT_NOT_TRUSTED',
        'This server answers known documents only (TRUSTED_DOCUMENTS_ONLY), and this is none of them. Have it added to KNOWN_DOCUMENTS.',
      )
    if (hash === undefined || !HASH.test(hash))
      throw badRequest('sha256Hash must be the SHA-256 of the query in lower-case hexadecimal.')
    if (query === undefined) return this.#recall(hash)
    if (query.length <= MAX_TEXT) {
      this.#sent.set(hash, query)
      this.#shared?.set(sharedKey(hash), query)
    }
    return query
  }

  async #recall(hash: string): Promise<string> {
    const text = await this.#shared?.get(sharedKey(hash))
    // Others write there too.
    if (text === undefined || sha256(text) !== hash)
      throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
    this.#sent.set(hash, text)
    return text
  }
}

const hashIn = (documentId: string) => (documentId.startsWith('sha256:') ? documentId.slice(7) : '')
const sharedKey = (hash: string) => `document ${hash}`

const badRequest = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'BAD_INPUT', http: { status: 400 } } })
