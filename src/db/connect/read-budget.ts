import { GatewayError } from '../../errors.ts'

/** How many statements one operation may send. */
const MAX_STATEMENTS = 500

/** What one operation may read. Rows past it are dropped as they arrive, so that they never fill the memory. */
export class ReadBudget {
  readonly #maxBytes: number
  #bytes = 0
  #statements = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** What is wrong with what was read; undefined: nothing. */
  get fault(): GatewayError | undefined {
    return this.#bytes > this.#maxBytes ? answerTooLarge(this.#maxBytes) : undefined
  }

  /** Counts a row of so many bytes. @returns whether it may be kept */
  takes(bytes: number): boolean {
    this.#bytes += bytes
    return this.#bytes <= this.#maxBytes
  }

  /** Counts a statement that is about to be sent. @throws BAD_INPUT */
  count(): void {
    if (++this.#statements > MAX_STATEMENTS)
      throw new GatewayError(
        'BAD_INPUT',
        `The operation takes more than ${MAX_STATEMENTS} statements of the store, which is what is allowed. Use fewer aliases, or split it into several requests.`,
      )
  }
}

/** An answer with more bytes than the server puts together. */
export const answerTooLarge = (maxBytes: number) =>
  new GatewayError(
    'ANSWER_TOO_LARGE',
    `The answer would have more than ${maxBytes.toLocaleString('en-US')} bytes, which is what one may have (MAX_ANSWER_BYTES). Ask for fewer rows or fields, or split it into several requests.`,
  )
