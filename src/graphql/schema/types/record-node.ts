import type { ObjectRef } from '@pothos/core'
import type { Column } from '../../../db/lists/column.ts'
import type { Listing } from '../../../db/lists/listing.ts'
import { isoDay, parseUtc } from '../../../time.ts'
import { keyOf, nodeId } from '../../fields/sql-field.ts'
import type { Builder, Types } from '../builder.ts'

/** Values of columns of these types are whole numbers. */
const NUMBERS = ['int', 'integer', 'bigint', 'timestamp']

const isValueOf = (type: string, value: string) => {
  if (NUMBERS.includes(type)) return /^\d{1,18}$/.test(value)
  return type !== 'date' || (value.length === 10 && parseUtc(value) !== undefined)
}

/**
 * Makes the rows of a listing nodes. The id has the values of the columns `key`, which are unique together. The last one may
 * hold any text; it is left out if it is null, as for a sum of rows, which no id finds.
 * @param besides a column of rows that are computed from several. Its value ends their ids, which no row has
 */
export function recordNode<Row>(
  builder: Builder,
  Type: ObjectRef<Types, Row>,
  listing: Pick<Listing<Row>, 'from'> & { columns: Record<keyof Row & string, Column> },
  key: (keyof Row & string)[],
  besides: (keyof Row & string)[] = [],
): void {
  const parts = [...key, ...besides]
  const at = keyOf<Row>(listing, ...key)
  const types = key.map((name) => listing.columns[name].type ?? 'text')
  const read = (id: string) => {
    const sent = id.split(':')
    const values = [...sent.slice(0, key.length - 1), sent.slice(key.length - 1).join(':')]
    return sent.length >= key.length && types.every((type, i) => isValueOf(type, values[i] ?? '')) ? values : undefined
  }
  builder.nodeRef(Type, {
    id: {
      resolve: (row: Row) =>
        parts.flatMap((name) => (row[name] instanceof Date ? isoDay(row[name]) : (row[name] ?? []))).join(':'),
      ...nodeId(Type.name, (column) => `concat_ws(':', ${parts.map(column).join(', ')})`),
    },
    loadManyWithoutCache: (ids, { batches }) =>
      Promise.all(
        ids.map((id) => {
          const values = read(id)
          return values ? batches.load(at.load, values) : null
        }),
      ),
  })
}
