import type { ObjectRef } from '@pothos/core'
import type { Column } from '../../../db/lists/column.ts'
import type { Listing } from '../../../db/lists/listing.ts'
import { keyOf, nodeId } from '../../fields/sql-field.ts'
import type { Builder, Types } from '../builder.ts'

/** Values of columns of these types are whole numbers. */
const NUMBERS = ['integer', 'timestamp']

/**
 * Makes the rows of a listing nodes. The id has the values of the columns `key`, which are unique together. The last one may
 * hold any text; it is left out if it is null, as for a sum of rows, which no id finds.
 */
export function recordNode<Row>(
  builder: Builder,
  Type: ObjectRef<Types, Row>,
  listing: Pick<Listing<Row>, 'from'> & { columns: Record<keyof Row & string, Column> },
  key: (keyof Row & string)[],
): void {
  const at = keyOf<Row>(listing, ...key)
  const types = key.map((name) => listing.columns[name].type ?? 'text')
  const read = (id: string) => {
    const parts = id.split(':')
    const values = [...parts.slice(0, key.length - 1), parts.slice(key.length - 1).join(':')]
    const fits = (value: string, i: number) => !NUMBERS.includes(types[i] ?? '') || /^\d{1,18}$/.test(value)
    return parts.length >= key.length && values.every(fits) ? values : undefined
  }
  builder.nodeRef(Type, {
    id: {
      resolve: (row: Row) => key.flatMap((name) => row[name] ?? []).join(':'),
      ...nodeId(Type.name, (column) => `concat_ws(':', ${key.map(column).join(', ')})`),
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
