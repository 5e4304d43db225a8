import type { ArgBuilder } from '@pothos/core'
import type { Types } from '../schema/builder.ts'
import { DEFAULT_PAGE, MAX_PAGE } from './connection.ts'
import type { ListInputs } from './list-inputs.ts'

/** The paging arguments that all lists share. */
export function pageArguments(arg: ArgBuilder<Types>) {
  return {
    first: arg.int({
      description: `Number of rows to return from the start, 0 to ${MAX_PAGE}. Defaults to ${DEFAULT_PAGE}.`,
    }),
    after: arg.string({ description: 'Only rows after this cursor of the same list.' }),
    last: arg.int({
      description: `Number of rows to return from the end, 0 to ${MAX_PAGE}. Cannot be combined with first.`,
    }),
    before: arg.string({ description: 'Only rows before this cursor of the same list.' }),
    offset: arg({
      type: 'BigInt',
      description: 'Number of rows to skip, for paging by number. Cursors stay fast on deep pages.',
    }),
  }
}

/** The `asOf` argument of lists of positions. */
export const asOfArgument = (arg: ArgBuilder<Types>) =>
  arg({
    type: 'DateTime',
    description:
      'Only positions on the last distribution date at or before this time. The list is empty before the first date.',
  })

/** The paging, filter and sort arguments that all lists share. */
export function listArguments(arg: ArgBuilder<Types>, { Filter, Order }: ListInputs) {
  return {
    ...pageArguments(arg),
    where: arg({
      type: Filter,
      description: 'Only rows that match this filter, in addition to all other arguments. Cursors are bound to it.',
    }),
    orderBy: arg({
      type: [Order],
      description:
        "The sort keys, in order of priority. Defaults to the list's default order. Cursors are bound to them.",
    }),
  }
}
