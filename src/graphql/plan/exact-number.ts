import { randomUUID } from 'node:crypto'

/**
 * A number with more digits than a double holds, such as the points of a large program: beyond 2^33 a double cannot tell
 * every millionth from the next. It is written as it was read.
 */
class ExactNumber {
  readonly #digits: string

  constructor(digits: string) {
    this.#digits = digits
  }

  toJSON(): string {
    return MARK + this.#digits
  }
}

/** No client can guess it, and so send it. */
const MARK = randomUUID()
const MARKED = new RegExp(`"${MARK}(-?[\\d.]+)"`, 'g')

/** A double has all decimals of what has fewer digits before the point. */
const LONG = /\d{10}\.\d/
const STRING_OR_LONG = /"(?:[^"\\]|\\.)*"|-?\d{10,}\.\d+/g

/** JSON.parse, but for numbers that it would round: `exactJson` writes them as they were. */
export function parseExact(json: string): unknown {
  if (!LONG.test(json)) return JSON.parse(json)
  const marked = json.replace(STRING_OR_LONG, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${MARK}${token}"`,
  )
  return JSON.parse(marked, (_, value) =>
    typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value,
  )
}

/** JSON.stringify, with the numbers of `parseExact` as they were read. */
export function exactJson(value: unknown): string {
  const json = JSON.stringify(value)
  return json.includes(MARK) ? json.replace(MARKED, '$1') : json
}
