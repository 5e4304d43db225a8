import type { Reader } from '../../db/connect/reader.ts'
import type { Cancellation } from '../../db/connect/scope.ts'
import { readOnce, readSnapshot, type Store } from '../../db/connect/store.ts'

/** The operations, by document or another key object, that needed a transaction when they first ran. */
const transactional = new WeakSet<object>()

/**
 * Runs `work` on a reader with one snapshot of the store. All its statements together may take READ_TIMEOUT_MS. Work
 * that has never needed a second statement runs without a transaction. It may run more than once.
 * @param operation identifies the work: the same object each time
 * @param cancellation cancels the reads once the result is no longer needed
 */
export async function readFor<T>(
  store: Store,
  operation: object,
  work: (reader: Reader) => Promise<T>,
  cancellation?: Cancellation,
): Promise<T> {
  const scope = store.reads.scope(cancellation)
  if (!transactional.has(operation)) {
    const done = await readOnce(store, scope, work)
    if (done) return done.result
    transactional.add(operation)
  }
  return readSnapshot(store, work, scope)
}
