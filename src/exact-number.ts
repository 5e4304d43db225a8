import { randomUUID } from 'node:crypto'

// Marks the digits of an exact number in JSON. No client can guess it, and so send it.
const MARK = randomUUID()
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')

// A number with more digits than a double holds, such as the points of a large program: beyond 2^33
// a double cannot tell every millionth from the next. `exactJson` writes its digits; arithmetic
// takes it for the nearest double.
class ExactNumber {
  readonly #digits: string

  constructor(digits: string) {
    this.#digits = digits
  }

  valueOf(): number {
    return Number(this.#digits)
  }

  toString(): string {
    return this.#digits
  }

  /** @param decimals at least as many as it has */
  toFixed(decimals: number): string {
    const [whole = '', fraction = ''] = this.#digits.split('.')
    return `${whole}.${fraction.padEnd(decimals, '0')}`
  }

  toJSON(): string {
    return MARK + this.#digits
  }
}

// A double has all decimals of what has fewer digits before the point.
const LONG = /\d{10}\.\d/
const STRING_OR_LONG = /"(?:[^"\\]|\\.)*"|-?\d{10,}\.\d+/g

export const isExactNumber = (value: unknown): boolean => value instanceof ExactNumber

/** The number that a decimal is: a double, or an exact number where it would be rounded. */
export function parseDecimal(digits: string): number {
  const double = Number(digits)
  // It does as a number wherever a number is due.
  return !LONG.test(digits) || String(double) === digits
    ? double
    : (new ExactNumber(digits) as unknown as number)
}

/** JSON.parse, but for numbers that it would round: `exactJson` writes them as they were. */
export function parseExact(json: string): unknown {
  if (!LONG.test(json)) return JSON.parse(json)
  const marked = json.replace(STRING_OR_LONG, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${MARK}${token}"`,
  )
  if (marked === json) return JSON.parse(json)
  return JSON.parse(marked, (_, value) =>
    typeof value === 'string' && value.startsWith(MARK)
      ? parseDecimal(value.slice(MARK.length))
      : value,
  )
}

/** JSON.stringify, with the digits of exact numbers. */
export function exactJson(value: unknown): string {
  const json = JSON.stringify(value)
  return json.includes(MARK) ? json.replace(MARKED, '$1') : json
}
