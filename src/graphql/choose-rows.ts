import type { Choices } from '../db/choices.ts'
import { readWhere, type Where } from '../db/conditions.ts'
import { assertOnce, type SortBy } from '../db/sorting.ts'
import { boundName } from './choices.ts'

type Value = string | number | bigint | boolean | null

/**
 * Rows that are already there, as the arguments `where` and `orderBy` ask for them, with a name that their cursors are
 * bound to. The columns of the choices are fields of the rows; ties keep the order that the rows have.
 * @throws BAD_INPUT
 */
export function chooseRows<Row extends object>(
  choices: Choices,
  name: string,
  rows: Row[],
  args: Record<string, unknown>,
): { name: string; rows: Row[] } {
  const where = args.where as Where | null | undefined
  const by = (args.orderBy ?? []) as SortBy[]
  const { text } = readWhere(choices.conditions, where)
  assertOnce(choices.keys, by)
  const found = where ? rows.filter((row) => matches(choices, where, row)) : [...rows]
  const value = (row: Row, { field }: SortBy) => fieldOf(row, choices.keys[field]?.field ?? field) as number
  found.sort((a, b) => {
    for (const key of by) {
      const [x, y] = [value(a, key), value(b, key)]
      if (x !== y) return x < y === (key.direction === 'ASC') ? -1 : 1
    }
    return 0
  })
  return { name: boundName(name, text, by), rows: found }
}

const fieldOf = (row: object, field: string) => (row as Record<string, Value>)[field] ?? null

function matches(choices: Choices, where: Where, row: object): boolean {
  return Object.entries(where).every(([name, given]) => {
    if (given === null || given === undefined) return true
    if (name === 'AND') return (given as Where[]).every((part) => matches(choices, part, row))
    if (name === 'OR') return (given as Where[]).some((part) => matches(choices, part, row))
    if (name === 'NOT') return !matches(choices, given as Where, row)
    const condition = choices.conditions[name]
    const value = fieldOf(row, condition?.columns[0] ?? name)
    // A chain is a bigint in a row and a number in a filter.
    if (condition?.kind === 'many') return (given as Value[]).some((one) => String(one) === String(value))
    if (condition?.kind !== 'range') return String(given) === String(value)
    return (
      value !== null && Object.entries(given).every(([operator, bound]) => isWithin(operator, value as number, bound))
    )
  })
}

function isWithin(operator: string, value: number, bound: number | null | undefined): boolean {
  if (bound === null || bound === undefined) return true
  if (operator === 'gt') return value > bound
  if (operator === 'gte') return value >= bound
  return operator === 'lt' ? value < bound : value <= bound
}
