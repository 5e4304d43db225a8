import { createHash } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Cache } from '../../cache/cache.ts'
import { refusal } from '../execution/errors.ts'

/** The document of a request: a text, an id, a hash, or a hash with its text. */
export interface DocumentReference {
  query?: string | undefined
  /** The id of a trusted document: `sha256:` and the hash of its text. */
  documentId?: string | undefined
  /** `extensions.persistedQuery.sha256Hash` of automatic persisted queries. */
  hash?: string | undefined
}

/** The values of a request's variables, by their names. */
export type Variables = Readonly<Record<string, unknown>>

/** The parameters of a request, as it sent them. */
export interface RequestParams {
  query?: unknown
  documentId?: unknown
  operationName?: unknown
  variables?: unknown
  extensions?: unknown
}

/** The name of the operation that a request asks for. Some clients send an empty one for none. */
export const operationNameOf = ({ operationName }: RequestParams): string | undefined =>
  operationName === '' ? undefined : textOf(operationName ?? undefined)

/**
 * How a request's parameters name its document. Some clients send an empty id for none. A value
 * that should be text, but is not, never matches a stored document.
 */
export function documentReference({
  query,
  documentId,
  extensions,
}: RequestParams): DocumentReference {
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } }
  return {
    query: textOf(query ?? undefined),
    documentId: documentId === '' ? undefined : textOf(documentId ?? undefined),
    hash: persistedQuery ? textOf(persistedQuery.sha256Hash ?? null) : undefined,
  }
}

const textOf = (value: unknown) =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value)

export interface DocumentsOptions {
  trusted: Iterable<string>
  trustedOnly: boolean
  /** A cache of persisted documents that gateways share. Undefined if there is none. */
  shared?: Pick<Cache, 'get' | 'set'> | undefined
  maxBytes?: number
}

const MAX_TEXTS = 1000
const MAX_BYTES = 7 * 1024 * 1024
const ENTRY_BYTES = 300
// Longer documents are executed but not persisted.
const MAX_TEXT = 64 * 1024
const HASH = /^[0-9a-f]{64}$/
const OPERATION = /\b(?:query|mutation|subscription)\s+(\w+)/g

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The id of a trusted document. */
export const idOfDocument = (text: string) => `sha256:${sha256(text)}`

/**
 * Documents that a request may reference without sending them: trusted ones, and persisted ones
 * that a client has sent.
 */
export class Documents {
  readonly #trusted: Map<string, string>
  readonly #trustedTexts: Set<string>
  readonly #trustedOnly: boolean
  readonly #shared: Pick<Cache, 'get' | 'set'> | undefined
  readonly #persisted: LRUCache<string, string>

  constructor({ trusted, trustedOnly, shared, maxBytes = MAX_BYTES }: DocumentsOptions) {
    this.#persisted = new LRUCache({
      max: MAX_TEXTS,
      maxSize: maxBytes,
      sizeCalculation: (text) => 2 * text.length + ENTRY_BYTES,
    })
    this.#trustedTexts = new Set(trusted)
    this.#trusted = new Map([...this.#trustedTexts].map((text) => [sha256(text), text]))
    this.#trustedOnly = trustedOnly
    this.#shared = shared
  }

  get bytes(): number {
    return this.#persisted.calculatedSize
  }

  get operationNames(): Set<string> {
    const names = [...this.#trustedTexts].flatMap((text) =>
      [...text.matchAll(OPERATION)].map(([, name]) => name ?? ''),
    )
    return new Set(names)
  }

  /** The text of a document if it is at hand. Otherwise `resolve` finds it or says why not. */
  find({ query, documentId, hash }: DocumentReference): string | undefined {
    if (documentId !== undefined)
      return query === undefined && hash === undefined
        ? this.#trusted.get(hashIn(documentId))
        : undefined
    if (hash !== undefined) {
      const text =
        this.#trusted.get(hash) ?? (this.#trustedOnly ? undefined : this.#persisted.get(hash))
      return query === undefined || query === text ? text : undefined
    }
    return query === undefined || !this.#trustedOnly || this.#trustedTexts.has(query)
      ? query
      : undefined
  }

  /**
   * Resolves the text of a document. One that is sent with its hash is persisted.
   * @throws GraphQLError that says what is wrong with the request
   */
  async resolve(reference: DocumentReference): Promise<string> {
    const { query, documentId, hash } = reference
    const document = this.find(reference)
    if (document !== undefined) return document
    if (documentId !== undefined) {
      if (query !== undefined || hash !== undefined)
        throw badRequest('Send either the documentId of a trusted document or a query, not both.')
      throw refusal(
        'DOCUMENT_NOT_KNOWN',
        `There is no trusted document ${documentId.slice(0, 100)}. ` +
          `${this.#trustedOnly ? 'Add it' : 'Send its text as query, or add it'} to ` +
          'KNOWN_DOCUMENTS under sha256: and the SHA-256 of its text in hexadecimal.',
      )
    }
    if (hash !== undefined && query !== undefined && sha256(query) !== hash)
      throw refusal(
        'PERSISTED_QUERY_HASH_MISMATCH',
        'PersistedQueryHashMismatch: sha256Hash does not match the query, whose hash is ' +
          `${sha256(query)}.`,
      )
    if (this.#trustedOnly)
      throw refusal(
        'DOCUMENT_NOT_TRUSTED',
        'This server accepts only trusted documents (TRUSTED_DOCUMENTS_ONLY), and this is not ' +
          'one of them. Add it to KNOWN_DOCUMENTS.',
      )
    if (hash === undefined || !HASH.test(hash))
      throw badRequest('sha256Hash must be the SHA-256 of the query in lower-case hexadecimal.')
    if (query === undefined) return this.#recall(hash)
    if (query.length <= MAX_TEXT) {
      this.#persisted.set(hash, query)
      this.#shared?.set(sharedKey(hash), query)
    }
    return query
  }

  async #recall(hash: string): Promise<string> {
    const text = await this.#shared?.get(sharedKey(hash))
    // The shared cache may contain other data.
    if (text === undefined || sha256(text) !== hash)
      throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
    this.#persisted.set(hash, text)
    return text
  }
}

const hashIn = (documentId: string) => (documentId.startsWith('sha256:') ? documentId.slice(7) : '')
const sharedKey = (hash: string) => `document ${hash}`

const badRequest = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'BAD_INPUT', http: { status: 400 } } })
