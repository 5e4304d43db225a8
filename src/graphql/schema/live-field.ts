import { likeQuery } from '../live/live-query.ts'

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
