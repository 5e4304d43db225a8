import type { ServerResponse } from 'node:http'
import type { Cancellation } from '../../db/connect/scope.ts'

/** Tells whether the client of a request has disconnected. It is polled and needs no listener. */
export const cancellationOf = (response: ServerResponse): Cancellation => ({
  get aborted() {
    return response.destroyed
  },
})
