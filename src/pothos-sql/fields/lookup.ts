import { isoDay } from '../dates.ts'
import type { Column, Columns, RowOf } from '../lists/column.ts'
import { type KeyType, type Listing, rowsByKey, selectList } from '../lists/listing.ts'
import { VALUE_TYPES } from '../lists/value-type.ts'
import type { Reader } from '../reader.ts'
import * as Prisma from '../sql-tag.ts'
import type { HostValue } from './builder.ts'

/** The values that a row is looked up by. */
export type LookupKey = readonly unknown[]

/** A kind of row that plans look up by a key, and resolvers load by it. */
export interface Lookup<Row = unknown> {
  columns: Columns
  /** The types of the key's values. */
  types: readonly KeyType[]
  /** Builds FROM and WHERE for the row at a key, from the SQL of the key's values. */
  at(...key: Prisma.Sql[]): Prisma.Sql
  /** True if every key has a row. */
  always?: boolean
  /** True if the SQL knows what a key with null means. Otherwise no row has such a key. */
  nullable?: boolean
  /** Reads an argument that is a key. Null if no row has it. */
  read?(value: HostValue): unknown
  /**
   * The column that is null if the object is. By default the first one of a row that a key may
   * lack.
   */
  presence?: string
  load(reader: Reader, keys: readonly LookupKey[]): Promise<(Row | null)[]>
  /**
   * Returns the properties that follow from the key, if every key has a row. Resolvers load the
   * others on demand.
   */
  stub?(key: LookupKey): Partial<Row>
}

/** A row that is looked up by the values of `by`: columns of another row, or arguments. */
export interface LookupBy {
  lookup: Lookup
  by: readonly string[]
}

/** Describes a kind of row by SQL, for plans and resolvers. */
export const defineLookup = <Own extends Columns>(
  described: Omit<Lookup<RowOf<Own>>, 'load' | 'columns'> & { columns: Own },
): Lookup<RowOf<Own>> => withLoad(described)

const withLoad = <Row>(described: Omit<Lookup<Row>, 'load'>): Lookup<Row> => ({
  ...described,
  async load(reader, keys) {
    const rows = await rowsByKey<Row>(
      reader,
      described.types,
      keys.map((key) => key.map(keyText)),
      (key) => Prisma.sql`SELECT ${selectList(described.columns)} ${described.at(...key)}`,
    )
    return rows.map(([row]) => row ?? null)
  },
})

/** Looks up a row of a listing by the columns `key`, which must be unique together. */
export function lookupIn<Row>(
  { from, columns }: Pick<Listing<Row>, 'from' | 'columns'>,
  ...key: (keyof Row & string)[]
): Lookup<Row> {
  const names = key.map((name) => Prisma.raw(columns[name].sql))
  return withLoad<Row>({
    columns,
    types: key.map((name) => keyType(columns[name])),
    at: (...values) => {
      const equal = names.map((column, i) => Prisma.sql`${column} = ${values[i]}`)
      return Prisma.sql`FROM ${from} WHERE ${Prisma.join(equal, ' AND ')}`
    },
  })
}

/** The type of a column that is a part of a key. */
export function keyType({ sql, type }: Column): KeyType {
  const encoding = type && VALUE_TYPES[type].sql
  if (encoding !== 'text' && encoding !== 'int' && encoding !== 'bigint' && encoding !== 'date')
    throw new Error(`${sql} cannot be a key`)
  return encoding
}

/** Formats a value of a key for Postgres. */
export function keyText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return value instanceof Date ? isoDay(value) : String(value)
}
