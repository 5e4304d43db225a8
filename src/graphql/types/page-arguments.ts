import type { ArgBuilder } from '@pothos/core'
import type { Types } from '../builder.ts'
import { DEFAULT_PAGE, MAX_PAGE } from '../connection.ts'

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
