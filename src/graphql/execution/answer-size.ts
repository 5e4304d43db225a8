import { answerTooLarge } from '../../db/connect/read-budget.ts'
import { exactJson } from '../../exact-number.ts'

/** The estimated bytes of a number or literal, or of the punctuation around a value. */
const VALUE_BYTES = 6

/** Serializes the data of resolvers. @throws ANSWER_TOO_LARGE, before serializing, if the JSON would be too large */
export function answerJson(data: unknown, maxBytes: number | undefined): string {
  assertAnswerSize(data, maxBytes)
  return exactJson(data)
}

/** Estimates the size of the data's JSON. @throws ANSWER_TOO_LARGE if it exceeds `maxBytes` */
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
