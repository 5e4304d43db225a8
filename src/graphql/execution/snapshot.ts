import type { Reader } from '../../db/connect/reader.ts'
import type { Cancellation } from '../../db/connect/scope.ts'
import { readOnce, readSnapshot, type Store } from '../../db/connect/store.ts'

/** The operations (their documents, or what else stands for them) that needed a transaction when they first ran. */
const transactional = new WeakSet<object>()

/**
 * Runs `work` on a reader, all of whose answers belong to one snapshot of the store. All its statements together may take
 * READ_TIMEOUT_MS. Work that needed one statement the last time is given no transaction, which a single statement does not
 * need. It may be run more than once.
 * @param operation what stands for the work: the same object each time
 * @param cancellation cancels what is being read once nobody waits for it
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
