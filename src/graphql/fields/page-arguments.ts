import type { ArgBuilder, InputRef } from '@pothos/core'
import type { Direction } from '../../db/lists/sort.ts'
import type { Types } from '../schema/builder.ts'
import { DEFAULT_PAGE, MAX_PAGE } from './connection.ts'
import { filterOf, orderOf } from './list-inputs.ts'

export function pageArguments(arg: ArgBuilder<Types>) {
  return {
    first: arg.int({
      description: `The number of rows, from the start: 0 to ${MAX_PAGE}, by default ${DEFAULT_PAGE}.`,
    }),
    after: arg.string({ description: 'Only rows after this cursor of the same list.' }),
    last: arg.int({
      description: `The number of rows, from the end: 0 to ${MAX_PAGE}. Not with first.`,
    }),
    before: arg.string({ description: 'Only rows before this cursor of the same list.' }),
    offset: arg({
      type: 'BigInt',
      description: 'The number of rows to skip. Cursors stay fast on deep pages.',
    }),
  }
}

export const asOfArgument = (arg: ArgBuilder<Types>) =>
  arg({
    type: 'DateTime',
    description: 'Only positions on the last date at or before this time, if any.',
  })

/** The paging, filter and sort arguments of a list, by the name of its inputs. */
export function listArguments(arg: ArgBuilder<Types>, name: string) {
  return {
    ...pageArguments(arg),
    where: arg({
      type: filterOf(name),
      description: 'Only rows that match this filter. Cursors are bound to it.',
    }),
    orderBy: arg({
      type: [orderOf(name)],
      description: 'The sort keys, by priority. Cursors are bound to them.',
    }),
    orderDirection: directionArgument(arg),
  }
}

export const directionArgument = (arg: ArgBuilder<Types>) =>
  arg({
    type: ['OrderDirection' as never as InputRef<Direction>],
    description: 'The direction of all sort keys, or one for each. Defaults to ASC.',
  })
