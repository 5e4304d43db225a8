import type { ArgBuilder } from '@pothos/core'
import type { Types } from '../builder.ts'
import { DEFAULT_PAGE, MAX_PAGE } from '../connection.ts'
import type { Chosen } from '../list-inputs.ts'

/** The paging arguments of every list, in one order. */
export function pageArguments(arg: ArgBuilder<Types>) {
  return {
    first: arg.int({
      description: `How many rows from the start of the page, 0 to ${MAX_PAGE}. ${DEFAULT_PAGE} when left out.`,
    }),
    after: arg.string({ description: 'Rows after this cursor of the same list.' }),
    last: arg.int({ description: `How many rows from the end, 0 to ${MAX_PAGE}; not together with first.` }),
    before: arg.string({ description: 'Rows before this cursor of the same list.' }),
    offset: arg({
      type: 'BigInt',
      description: 'Rows to skip, for paging by number. Cursors stay fast however deep the page is.',
    }),
  }
}

/** The argument of lists of positions that asks for those of a past date. */
export const asOfArgument = (arg: ArgBuilder<Types>) =>
  arg({
    type: 'DateTime',
    description:
      'As of this moment: those of the last distribution date up to it, included. There are none before the first one.',
  })

/** The arguments of a list that can be filtered and sorted, in one order: its own follow them. */
export function listArguments(arg: ArgBuilder<Types>, { Filter, Order }: Chosen) {
  return {
    ...pageArguments(arg),
    where: arg({
      type: Filter,
      description: 'Which rows. Holds together with all other arguments; cursors are bound to it.',
    }),
    orderBy: arg({
      type: [Order],
      description:
        "The order: by the first key, where that is equal by the second, and so on. The list's own when left out. Cursors are bound to it.",
    }),
  }
}
