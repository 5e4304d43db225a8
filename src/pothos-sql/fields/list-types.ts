import type { ObjectRef } from '@pothos/core'
import type { Listing } from '../lists/listing.ts'
import type { Builder, HostTypes } from './builder.ts'
import { addListInputs } from './list-inputs.ts'

/**
 * Adds the types that all lists of a row type share: the inputs of `where` and `orderBy`, and the
 * connection `<Name>Connection` with `<Name>Edge`, which it returns.
 * @param enums the names of enum types, by filter
 */
export function listTypes<Row>(
  builder: Builder,
  type: ObjectRef<HostTypes, Row>,
  listing: Pick<Listing<never>, 'filters' | 'sortKeys'>,
  enums: Record<string, string> = {},
) {
  const { name } = type
  addListInputs(builder, name, listing, enums)
  const article = /^[AEIOU]/.test(name) ? 'An' : 'A'
  return builder.connectionObject(
    { type, name: `${name}Connection`, description: `A page of a list of ${name} rows.` },
    { name: `${name}Edge`, description: `${article} ${name} row and its cursor.` },
  )
}
