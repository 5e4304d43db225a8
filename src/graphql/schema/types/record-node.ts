import type { ObjectRef } from '@pothos/core'
import { type Column, type Listing, lookupIn, sqlFields } from 'pothos-sql'
import type { Batch } from '../../../db/connect/reader.ts'
import { isoDay, parseUtc } from '../../../time.ts'
import type { GraphContext } from '../../context.ts'
import type { Builder, Types } from '../builder.ts'

// Values of columns of these types are whole numbers.
const NUMBERS = ['int', 'integer', 'bigint', 'timestamp']

const isValueOf = (type: string, value: string) => {
  if (NUMBERS.includes(type)) return /^\d{1,18}$/.test(value)
  return type !== 'date' || (value.length === 10 && parseUtc(value) !== undefined)
}

// Rows that are computed from several ones. The number of values in their key tells their ids from
// those of stored rows.
interface ComputedRows<Row> {
  key: (keyof Row & string)[]
  load: Batch<readonly string[], Row | null>
}

/**
 * Makes the rows of a listing nodes. The id has the values of the columns `key`, which are unique
 * together. The last one may hold any text; null values are left out.
 */
export function recordNode<Row>(
  builder: Builder,
  Type: ObjectRef<Types, Row>,
  listing: Pick<Listing<Row>, 'from'> & { columns: Record<keyof Row & string, Column> },
  key: (keyof Row & string)[],
  computed?: ComputedRows<Row>,
): void {
  const parts = [...new Set([...key, ...(computed?.key ?? [])])]
  const at = lookupIn<Row>(listing, ...key)
  const areValuesOf = (names: (keyof Row & string)[], values: string[]) =>
    values.length === names.length &&
    names.every((name, i) => isValueOf(listing.columns[name].type ?? 'text', values[i] ?? ''))
  const load = (id: string, { batches }: GraphContext): Promise<Row | null> | null => {
    const sent = id.split(':')
    if (computed && areValuesOf(computed.key, sent)) return batches.load(computed.load, sent)
    const values = [...sent.slice(0, key.length - 1), sent.slice(key.length - 1).join(':')]
    return sent.length >= key.length && areValuesOf(key, values)
      ? batches.load(at.load, values)
      : null
  }
  builder.nodeRef(Type, {
    id: {
      resolve: (row: Row) =>
        parts
          .flatMap((name) => (row[name] instanceof Date ? isoDay(row[name]) : (row[name] ?? [])))
          .join(':'),
      ...sqlFields.nodeId(Type.name, (column) => `concat_ws(':', ${parts.map(column).join(', ')})`),
    },
    loadManyWithoutCache: (ids, context) => Promise.all(ids.map((id) => load(id, context))),
  })
}
