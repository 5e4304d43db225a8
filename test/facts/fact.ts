import { expect } from 'vitest'
import type { Gateway } from '../support/gateway.ts'
import { post } from '../support/send.ts'
import { type Oracle, type Row, same } from './oracle.ts'

/** What the graph says, and the same by SQL over the imported records. */
export interface Fact {
  /** The fact in words: the name of its test. */
  name: string
  /** The selection, without its outer braces. */
  query: string
  /**
   * Where the rows are in the answer, names joined by dots; on the way lists are walked through.
   * Null means that there are no rows.
   */
  at: string
  /**
   * The same rows, in the same order; a column is named as its value's path in a row: "pool.name".
   */
  sql: string
  /** The totalCount of the list that the rows are in, as one value. */
  total?: string
  /** No order is promised. */
  unordered?: true
  /** There are no such rows. */
  empty?: true
  /** Variables that come from other answers (cursors, ids), with their types: `$after: String`. */
  variables?: { types: string; from(ask: Ask): Promise<object> }
}

export type Json = any
export type Ask = (query: string, variables?: object) => Promise<Json>

/** Asks a gateway, with extensions that choose the road which its answer takes. */
export const asker =
  (gateway: Gateway, extensions?: object): Ask =>
  async (query, variables) => {
    const { data, errors }: Json = JSON.parse(
      await post(gateway.base, { query, variables, extensions }),
    )
    expect(errors, query).toBeUndefined()
    return data
  }

/** The oracle's rows of a fact, and the total of its list. */
export interface Expected {
  rows: Row[]
  total?: unknown
}

export async function expectedOf(fact: Fact, oracle: Oracle): Promise<Expected> {
  const rows = await oracle.rows(fact.sql)
  expect(rows.length === 0, 'a fact must say something').toBe(fact.empty ?? false)
  if (!fact.total) return { rows }
  const [total] = await oracle.rows(fact.total)
  return { rows, total: Object.values(total ?? {})[0] }
}

/** Compares the graph's rows with the oracle's, value by value. */
export async function check(fact: Fact, expected: Expected, ask: Ask, road: string): Promise<void> {
  const { types, from } = fact.variables ?? {}
  const data = await ask(
    types ? `query (${types}) { ${fact.query} }` : `{ ${fact.query} }`,
    await from?.(ask),
  )
  const path = fact.at.split('.')
  const rows = fact.unordered ? inOrderOf(expected.rows, rowsAt(data, path)) : rowsAt(data, path)
  const message = `${road}: ${fact.query}`
  if (
    rows.length !== expected.rows.length ||
    !expected.rows.every((row, n) => sameRow(rows[n], row))
  ) {
    expect(
      rows.map((row) => leaves(row)),
      message,
    ).toEqual(expected.rows)
    expect.unreachable(message)
  }
  if (fact.total)
    expect(rowsAt(data, [...path.slice(0, -1), 'totalCount']), message).toEqual([expected.total])
}

/**
 * Rows in another order: each row of the oracle takes the first that is the same, and what nothing
 * takes is last.
 */
function inOrderOf(expected: Row[], rows: Json[]): Json[] {
  const left = [...rows]
  const taken = expected.flatMap((row) => {
    const at = left.findIndex((one) => sameRow(one, row))
    return at < 0 ? [] : left.splice(at, 1)
  })
  return [...taken, ...left]
}

function rowsAt(value: Json, path: string[]): Json[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((one) => rowsAt(one, path))
  const [name, ...rest] = path
  if (name === undefined) return [value]
  expect(Object.keys(value)).toContain(name)
  return rowsAt(value[name], rest)
}

/** Every column is in the row, and nothing else is. A null object has null for everything in it. */
function sameRow(actual: Json, expected: Row): boolean {
  const columns = Object.keys(expected)
  return (
    Object.keys(leaves(actual)).every((path) =>
      columns.some((one) => one === path || one.startsWith(`${path}.`)),
    ) &&
    columns.every((path) => {
      let value = actual
      for (const name of path.split('.')) value = value === null ? null : value[name]
      return same(value, expected[path])
    })
  )
}

/** A row's values by their paths. */
function leaves(row: Json, prefix = ''): Row {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(leaves(value, `${prefix}${name}.`))
        : [[prefix + name, value]],
    ),
  )
}
