import type { ServerResponse } from 'node:http'
import type { Cancellation } from '../../db/connect/scope.ts'

/** The client of a request, who is aborted once its connection has closed. It is looked at: no listener is needed. */
export const cancellationOf = (response: ServerResponse): Cancellation => ({
  get aborted() {
    return response.destroyed
  },
})
