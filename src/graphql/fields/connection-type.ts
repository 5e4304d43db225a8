import type { ObjectRef } from '@pothos/core'
import type { Builder, Types } from '../schema/builder.ts'

/** Adds the connection type of a row type: `<Name>Connection` with `<Name>Edge`. All lists of that type share it. */
export function connectionType<Row>(builder: Builder, name: string, type: ObjectRef<Types, Row>) {
  const article = /^[AEIOU]/.test(name) ? 'An' : 'A'
  return builder.connectionObject(
    { type, name: `${name}Connection`, description: `A page of a list of ${name} rows.` },
    { name: `${name}Edge`, description: `${article} ${name} row and its cursor.` },
  )
}
