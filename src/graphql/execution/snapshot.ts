import { type DocumentNode, Kind, visit } from 'graphql'
import type { Reader } from '../../db/connect/reader.ts'
import { readOnce, readSnapshot, readSnapshotWithModels, type Store } from '../../db/connect/store.ts'

type Way = 'once' | 'snapshot' | 'models'

/** How each operation (its document, or what else stands for it) is read; learnt from its first run. */
const ways = new WeakMap<object, Way>()

/**
 * Runs `work` on a reader, all of whose answers belong to one snapshot of the store. Work that needed one statement the
 * last time is given no transaction, which a single statement does not need.
 * @param operation what stands for the work: the same object each time
 */
export async function readFor<T>(store: Store, operation: object, work: (reader: Reader) => Promise<T>): Promise<T> {
  const way = ways.get(operation) ?? firstWay(operation)
  if (way === 'models') return readSnapshotWithModels(store, work)
  if (way === 'once') {
    const done = await readOnce(store, work)
    if (done) return done.result
    ways.set(operation, 'snapshot')
  }
  return readSnapshot(store, work)
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
