import { GatewayError } from '../../errors.ts'

/** The maximum number of statements of one operation. */
const MAX_STATEMENTS = 500

/** Bounds what an operation may read. Rows beyond it are dropped on arrival, so that they never fill the memory. */
export class ReadBudget {
  readonly #maxBytes: number
  #bytes = 0
  #statements = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The error if a bound was exceeded. */
  get fault(): GatewayError | undefined {
    return this.#bytes > this.#maxBytes ? answerTooLarge(this.#maxBytes) : undefined
  }

  /** Counts a row. @returns whether it is within the bound */
  takes(bytes: number): boolean {
    this.#bytes += bytes
    return this.#bytes <= this.#maxBytes
  }

  /** Counts a statement before it is sent. @throws BAD_INPUT */
  count(): void {
    if (++this.#statements > MAX_STATEMENTS)
      throw new GatewayError(
        'BAD_INPUT',
        `The operation would send more than ${MAX_STATEMENTS} SQL statements, the limit. Use fewer aliases, or split it into several requests.`,
      )
  }
}

/** The error for an answer that exceeds MAX_ANSWER_BYTES. */
export const answerTooLarge = (maxBytes: number) =>
  new GatewayError(
    'ANSWER_TOO_LARGE',
    `The answer would have more than ${maxBytes.toLocaleString('en-US')} bytes, the limit (MAX_ANSWER_BYTES). Ask for fewer rows or fields, or split it into several requests.`,
  )
