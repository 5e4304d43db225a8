import type { ArgumentRef, InputRef, SchemaTypes } from '@pothos/core'
import type { Where } from '../lists/filter.ts'
import type { Direction } from '../lists/listing.ts'
import type { ArgBuilder, HostTypes } from './builder.ts'
import { DEFAULT_PAGE, MAX_PAGE } from './connection.ts'
import { filterOf, orderOf } from './list-inputs.ts'

// Aliases, because interfaces have no index signature.

// An argument that may be left out.
type Optional<Types extends SchemaTypes, Value> = ArgumentRef<Types, Value | null | undefined>

type PageInputs<Types extends SchemaTypes> = {
  first: Optional<Types, number>
  after: Optional<Types, string>
  last: Optional<Types, number>
  before: Optional<Types, string>
  offset: Optional<Types, bigint>
}

type ListInputs<Types extends SchemaTypes> = PageInputs<Types> & {
  where: Optional<Types, Where>
  orderBy: Optional<Types, string[]>
  orderDirection: Optional<Types, Direction[]>
}

/** The paging arguments of a list. */
export function pageArguments<Types extends SchemaTypes>(
  builder: ArgBuilder<Types>,
): PageInputs<Types> {
  const arg = builder as HostTypes as ArgBuilder<HostTypes>
  return {
    first: arg.int({
      description: `The number of rows, from the start: 0 to ${MAX_PAGE}.`,
      defaultValue: DEFAULT_PAGE,
    }),
    after: arg.string({ description: 'Only rows after this cursor of the same list.' }),
    last: arg.int({
      description: `The number of rows, from the end: 0 to ${MAX_PAGE}. Not with first.`,
    }),
    before: arg.string({
      description: 'Only rows before this cursor of the same list. With last, those next to it.',
    }),
    offset: arg({
      type: 'BigInt',
      description: 'The number of rows to skip. Cursors stay fast on deep pages.',
    }),
  }
}

/** The paging, filter and sort arguments of a list, by the name of its inputs. */
export function listArguments<Types extends SchemaTypes>(
  builder: ArgBuilder<Types>,
  name: string,
): ListInputs<Types> {
  const arg = builder as HostTypes as ArgBuilder<HostTypes>
  return {
    ...pageArguments(builder),
    where: arg({
      type: filterOf(name),
      description: 'Only rows that match this filter. Cursors are bound to it.',
    }),
    orderBy: arg({
      type: [orderOf(name)],
      description: 'The sort keys, by priority. Cursors are bound to them.',
    }),
    orderDirection: directionArgument(builder),
  }
}

/** The argument with the directions of sort keys. */
export function directionArgument<Types extends SchemaTypes>(
  builder: ArgBuilder<Types>,
): Optional<Types, Direction[]> {
  const arg = builder as HostTypes as ArgBuilder<HostTypes>
  return arg({
    type: ['OrderDirection' as never as InputRef<Direction>],
    description: 'The direction of all sort keys, or one for each.',
    defaultValue: ['ASC'],
  })
}
