import { createHash } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Cache } from '../../cache/cache.ts'
import { refusal } from '../execution/errors.ts'

/** The document of a request: a text, an id, a hash, or a hash with its text. */
export interface AskedDocument {
  query?: string | undefined
  /** The id of a trusted document: `sha256:` and the hash of its text. */
  documentId?: string | undefined
  /** `extensions.persistedQuery.sha256Hash` of automatic persisted queries. */
  hash?: string | undefined
}

export interface DocumentsOptions {
  /** The trusted documents. */
  known: Iterable<string>
  /** Whether only trusted documents are accepted. */
  trustedOnly: boolean
  /** A cache of persisted documents that gateways share. Undefined if there is none. */
  shared?: Pick<Cache, 'get' | 'set'> | undefined
}

const MAX_TEXTS = 1000
const MAX_CHARACTERS = 8_000_000
/** Longer documents are executed but not persisted. */
const MAX_TEXT = 64 * 1024
const HASH = /^[0-9a-f]{64}$/

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The id of a trusted document. */
export const idOfDocument = (text: string) => `sha256:${sha256(text)}`

/** Documents that a request may reference without sending them: trusted ones, and persisted ones that a client has sent. */
export class Documents {
  readonly #known: Map<string, string>
  readonly #knownTexts: Set<string>
  readonly #trustedOnly: boolean
  readonly #shared: Pick<Cache, 'get' | 'set'> | undefined
  /** Persisted documents by hash. */
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

  /** The text of a document if it is at hand. Otherwise `resolve` finds it or says why not. */
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
   * Resolves the text of a document. One that is sent with its hash is persisted.
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
    // The shared cache may contain other data.
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
