import type { ObjectRef } from '@pothos/core'
import { sqlFields } from 'pothos-sql'
import type { GraphContext } from '../../context.ts'
import type { Builder, Types } from '../builder.ts'

/**
 * Makes the rows of a type nodes.
 * @param column the column whose value is the id within the type
 * @param load loads the row with an id, which clients send. Null if no such row exists
 */
export function addNode<Row>(
  builder: Builder,
  Type: ObjectRef<Types, Row>,
  column: keyof Row & string,
  load: (id: string, context: GraphContext) => unknown,
): void {
  builder.nodeRef(Type, {
    id: {
      resolve: (row: Row) => String(row[column]),
      ...sqlFields.nodeId(Type.name, (columnSql) => columnSql(column)),
    },
    // Rows of a listing have more columns than those of its model.
    loadWithoutCache: load as never,
  })
}
