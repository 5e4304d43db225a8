import type { Reader } from '../../db/connect/reader.ts'
import type { Caller } from '../../db/connect/scope.ts'
import { readOnce, readSnapshot, type Store } from '../../db/connect/store.ts'

/** The operations, by document or another key object, that needed a transaction when they first ran. */
const transactional = new WeakSet<object>()

/**
 * Runs `work` on a reader with one snapshot of the store or of a replica. All its statements together may take READ_TIMEOUT_MS. Work
 * that has never needed a second statement runs without a transaction. It may run more than once.
 * @param operation identifies the work: the same object each time
 * @param caller ends the reads when it has gone, and receives their statements
 */
export function readFor<T>(
  store: Store,
  operation: object,
  work: (reader: Reader) => Promise<T>,
  caller?: Caller,
): Promise<T> {
  const read = (from: Store, caller?: Caller) => readFrom(from, operation, work, caller)
  return store.replicas ? store.replicas.read(read, caller) : read(store, caller)
}

async function readFrom<T>(
  store: Store,
  operation: object,
  work: (reader: Reader) => Promise<T>,
  caller: Caller | undefined,
): Promise<T> {
  const scope = store.reads.scope(caller)
  if (!transactional.has(operation)) {
    const done = await readOnce(store, scope, work)
    if (done) return done.result
    transactional.add(operation)
  }
  return readSnapshot(store, work, scope)
}
