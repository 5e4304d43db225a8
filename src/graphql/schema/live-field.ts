import type { ArgBuilder } from '@pothos/core'
import { filterOf, pageArguments } from 'pothos-sql/host'
import { likeQuery } from '../live/live-query.ts'
import type { Types } from './builder.ts'

/**
 * The options of a subscription that repeats the query of the same name.
 * @param what the beginning of a sentence that says what it returns
 */
export const liveField = (what: string) => ({
  description:
    `${what}, like the query of the same name. The first event is sent at once, further events ` +
    'only when the selected data has changed since the last event.',
  ...likeQuery,
})

/**
 * The options of a subscription to the first rows of a list: its arguments are `first` and `where`.
 * @param row the name of the type of its rows
 */
export const liveList = (arg: ArgBuilder<Types>, row: string, what: string) => ({
  args: {
    first: pageArguments(arg).first,
    where: arg({ type: filterOf(row), description: 'Only rows that match this filter.' }),
  },
  ...liveField(what),
})
