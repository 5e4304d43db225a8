import { answerTooLarge } from '../../db/connect/read-budget.ts'
import { exactJson } from '../../exact-number.ts'

/** A number, a word, and the signs around a value. */
const VALUE_BYTES = 6

/** The JSON of what resolvers gave. @throws ANSWER_TOO_LARGE before it is made, where it is too large */
export function answerJson(data: unknown, maxBytes: number | undefined): string {
  assertAnswerSize(data, maxBytes)
  return exactJson(data)
}

/** @throws ANSWER_TOO_LARGE for data whose JSON has more bytes than an answer may have */
export function assertAnswerSize(data: unknown, maxBytes = Number.POSITIVE_INFINITY): void {
  let bytes = 0
  const add = (value: unknown): void => {
    bytes += typeof value === 'string' ? value.length + VALUE_BYTES : VALUE_BYTES
    if (bytes > maxBytes) throw answerTooLarge(maxBytes)
    if (Array.isArray(value)) for (const one of value) add(one)
    else if (typeof value === 'object' && value !== null)
      for (const key in value) {
        bytes += key.length
        add((value as Record<string, unknown>)[key])
      }
  }
  add(data)
}
