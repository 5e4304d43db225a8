import type { ObjectRef } from '@pothos/core'
import type { Builder, Types } from '../builder.ts'

/** The connection type of a row type: `<Name>Connection`, with `<Name>Edge`. One for every row type, whatever lists it. */
export function connectionType<Row>(builder: Builder, name: string, type: ObjectRef<Types, Row>) {
  return builder.connectionObject(
    { type, name: `${name}Connection`, description: `A page of a list of ${name}.` },
    { name: `${name}Edge`, description: `A ${name} and its place in a list.` },
  )
}
