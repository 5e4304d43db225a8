import { type DocumentNode, Kind, visit } from 'graphql'
import type { Reader } from '../../db/connect/reader.ts'
import type { Cancellation } from '../../db/connect/scope.ts'
import { readOnce, readSnapshot, readSnapshotWithModels, type Store } from '../../db/connect/store.ts'

type Way = 'once' | 'snapshot' | 'models'

/** How each operation (its document, or what else stands for it) is read; learnt from its first run. */
const ways = new WeakMap<object, Way>()

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
  const way = ways.get(operation) ?? firstWay(operation)
  if (way === 'models') return readSnapshotWithModels(store, scope, work)
  if (way === 'once') {
    const done = await readOnce(store, scope, work)
    if (done) return done.result
    ways.set(operation, 'snapshot')
  }
  return readSnapshot(store, work, scope)
}

function firstWay(operation: object): Way {
  const way = 'kind' in operation && asksForNodes(operation as DocumentNode) ? 'models' : 'once'
  ways.set(operation, way)
  return way
}

/** Whether `node(id:)` or `nodes(ids:)` is asked for: what an object's id stands for is loaded by Prisma's models. */
function asksForNodes(document: DocumentNode): boolean {
  let asked = false
  visit(document, {
    [Kind.FIELD]({ name, arguments: given = [] }) {
      if (name.value === 'node' || name.value === 'nodes') asked ||= given.length > 0
    },
  })
  return asked
}
