import { randomBytes, randomInt } from 'node:crypto'
import { DAY_MS, isoDay } from '../dates.ts'
import { type Cursors, type Inputs, typeAt, type ValueKind } from './parameters.ts'

/**
 * Returns random values in place of others, those of a kind in ascending or descending order. Dates
 * are long before or after now and far apart, and floats below 1 or very large: a statement that
 * depends on more than their presence differs.
 */
export function standIns({ kinds }: Inputs, cursors: Cursors, order: 1 | -1): string[] {
  const random = {
    address: () => `0x${randomBytes(20).toString('hex')}`,
    number: () => String(randomInt(2 ** 29, 10 ** 9)),
    float: () =>
      String(order > 0 ? randomInt(2 ** 20, 2 ** 30) / 2 ** 31 : randomInt(2 ** 29, 10 ** 9) + 0.5),
    date: (nth: number, count: number) =>
      dateAt((order > 0 ? 1900 : 2100) + (100 / count) * (nth + randomInt(10 ** 6) / 4e6)),
    record: () => randomBytes(16).toString('hex'),
  }
  const sorted = (kind: Exclude<ValueKind, object>) =>
    kinds
      .filter((one) => one === kind)
      .map((_, nth, { length }) => random[kind](nth, length))
      .sort((one, other) => (one < other ? -order : order))
      .values()
  const all = {
    address: sorted('address'),
    number: sorted('number'),
    float: sorted('float'),
    date: sorted('date'),
    record: sorted('record'),
  }
  return kinds.map((kind, i) => {
    if (typeof kind === 'string') return all[kind].next().value as string
    const type = typeAt(kinds, cursors, i)
    if (type === 'text' || type === 'address') return random.address()
    if (type === 'date') return random.date(0, 1)
    return type === 'float' || type === 'decimal'
      ? String(randomInt(2 ** 29, 10 ** 9) / 8)
      : random.number()
  })
}

const YEAR_MS = 365.25 * DAY_MS
const dateAt = (year: number) => isoDay(new Date((year - 1970) * YEAR_MS))

export type Fill = (values: string[]) => unknown[]

/**
 * Returns a function that puts other values into those of a statement, alone and in lists.
 * @returns undefined if one is not among them, but for addresses: the statement may be another one
 * with another value
 */
export function filler(values: unknown[], standIns: string[], { kinds }: Inputs): Fill | undefined {
  const indexes = new Map(standIns.map((value, i) => [value, i]))
  const filled = new Set<number>()
  // Returns how to fill a value. Undefined if it is the same for all requests.
  const fillOf = (value: unknown): ((values: string[]) => unknown) | undefined => {
    const index = typeof value === 'object' ? undefined : indexes.get(String(value))
    if (index === undefined) return undefined
    filled.add(index)
    return typeof value === 'number' ? (values) => Number(values[index]) : (values) => values[index]
  }
  const slots: { at: number; fill(values: string[]): unknown }[] = []
  const others = values.map((value, at) => {
    const parts = Array.isArray(value) ? value.map(fillOf) : [fillOf(value)]
    if (parts.length === 0 || parts.includes(undefined)) return value
    const all = parts as ((values: string[]) => unknown)[]
    slots.push({
      at,
      fill: Array.isArray(value) ? (values) => all.map((one) => one(values)) : (all[0] as Fill),
    })
    return undefined
  })
  if (
    indexes.size < standIns.length ||
    !kinds.every((kind, i) => kind === 'address' || filled.has(i))
  )
    return undefined
  return (values) => {
    const result = [...others]
    for (const { at, fill } of slots) result[at] = fill(values)
    return result
  }
}

/** Returns whether two lists of values are the same to Postgres. */
export const isSame = (one: unknown[] | undefined, other: unknown[]) =>
  textOf(one) === textOf(other)

const textOf = (value: unknown) =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
