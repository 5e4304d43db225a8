import { type DocumentNode, GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Limiter } from '../policy/limits.ts'

const MAX_TEXTS = 1000
/** The number of documents that were sent once. */
const MAX_NEW = 16
/** The memory of an error of a document, and of an entry without its document. */
const ERROR_BYTES = 3000
const ENTRY_BYTES = 2500

/** A text that a client has sent, and what was read from it. */
interface SentDocument {
  /** Undefined if the text cannot be parsed. */
  document: DocumentNode | undefined
  /** The reasons why it is invalid. */
  errors: readonly GraphQLError[]
  /** The number of plans and statements by which it was weighed. */
  prepared: number
}

interface SentDocumentsOptions {
  limiter: Limiter
  /** The memory that documents may take, with all that is prepared for them. */
  maxBytes: number
  /** The number of plans and statements that are prepared for a document. */
  preparedFor(document: DocumentNode): number
}

/** Parses and validates each document that clients send once. */
export class SentDocuments {
  readonly #options: SentDocumentsOptions
  /** Valid documents that were sent again, by text. */
  readonly #known: LRUCache<string, SentDocument>
  /** The others. Few of them live until V8 moves them to its old space, whose garbage stays for long. */
  readonly #new: LRUCache<string, SentDocument>
  readonly #byDocument = new WeakMap<DocumentNode, SentDocument>()

  constructor(options: SentDocumentsOptions) {
    this.#options = options
    const sizeCalculation = (sent: SentDocument, text: string) => this.#weigh(sent, text)
    const newBytes = Math.floor(options.maxBytes / 4)
    this.#new = new LRUCache({ max: MAX_NEW, maxSize: newBytes, sizeCalculation })
    this.#known = new LRUCache({ max: MAX_TEXTS, maxSize: options.maxBytes - newBytes, sizeCalculation })
  }

  get bytes(): number {
    return this.#known.calculatedSize + this.#new.calculatedSize
  }

  /** Parses a text. @throws GraphQLError if it is not a document, or too large */
  parse(text: string): DocumentNode {
    const { document, errors } = this.#sent(text)
    if (!document) throw errors[0]
    return document
  }

  /** The reasons why a document of `parse` is invalid. */
  validate(document: DocumentNode): readonly GraphQLError[] {
    return this.#byDocument.get(document)?.errors ?? this.#options.limiter.validate(document)
  }

  /** The document of a text. Undefined if it is invalid. */
  valid(text: string): DocumentNode | undefined {
    const { document, errors } = this.#sent(text)
    return errors.length > 0 ? undefined : document
  }

  #sent(text: string): SentDocument {
    const known = this.#known.get(text)
    const sent = known ?? this.#new.get(text)
    if (!sent) {
      const read = this.#read(text)
      this.#new.set(text, read)
      return read
    }
    if (sent.errors.length > 0 || known?.prepared === this.#preparedFor(sent)) return sent
    // It is weighed again if it has new plans and statements. Setting it alone would leave its size.
    this.#known.delete(text)
    this.#known.set(text, sent)
    this.#new.delete(text)
    return sent
  }

  #read(text: string): SentDocument {
    const sent: SentDocument = { document: undefined, errors: [], prepared: 0 }
    try {
      sent.document = this.#options.limiter.parse(text)
      this.#byDocument.set(sent.document, sent)
      sent.errors = this.#options.limiter.validate(sent.document)
    } catch (error) {
      sent.errors = [error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error })]
    }
    return sent
  }

  #preparedFor({ document }: SentDocument): number {
    return document ? this.#options.preparedFor(document) : 0
  }

  #weigh(sent: SentDocument, text: string): number {
    const { document, errors } = sent
    sent.prepared = this.#preparedFor(sent)
    const bytes = document ? this.#options.limiter.bytesOf(document) : { document: 2 * text.length, prepared: 0 }
    // A new document will have a plan and a statement.
    const prepared = Math.max(sent.prepared, 2) * bytes.prepared
    return ENTRY_BYTES + bytes.document + errors.length * ERROR_BYTES + prepared
  }
}
