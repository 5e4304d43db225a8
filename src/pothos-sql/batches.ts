import DataLoader from 'dataloader'
import type { Reader } from './reader.ts'
import { Turns } from './turns.ts'

/** Loads the values of many keys, in the order of the keys. All keys share the arguments. */
export type Batch<Key, Value, Args extends unknown[] = [], From extends Reader = Reader> = (
  reader: From,
  keys: readonly Key[],
  ...args: Args
) => Promise<Value[]>

/** The context of an operation, as far as resolvers need it. */
export interface SqlContext {
  reader: Reader
  batches: {
    load<Key, Value, Args extends unknown[]>(
      batch: Batch<Key, Value, Args>,
      key: NoInfer<Key>,
      ...args: Args
    ): Promise<Value>
  }
}

// Larger batches would hold the event loop.
const MAX_BATCH = 2000
// The values of further keys are given out in turn.
const FEW_KEYS = 20

type Loaders = Map<string, { loader: DataLoader<unknown, unknown, string>; loads: number }>

/** The DataLoaders of one operation, one per batch function and arguments. */
export class Batches<From extends Reader = Reader> {
  readonly #reader: From
  readonly #turns: Turns
  readonly #loaders = new Map<unknown, Loaders>()

  constructor(reader: From, turns = new Turns(() => reader.isOver ?? false)) {
    this.#reader = reader
    this.#turns = turns
  }

  /** Loads a key, batched with all keys of the same tick, function and arguments. */
  load<Key, Value, Args extends unknown[]>(
    batch: Batch<Key, Value, Args, From>,
    key: NoInfer<Key>,
    ...args: Args
  ): Promise<Value> {
    const loaders: Loaders = this.#loaders.get(batch) ?? new Map()
    this.#loaders.set(batch, loaders)
    const name = signature(args)
    let loading = loaders.get(name)
    if (!loading) {
      const load = async (keys: readonly unknown[]) => {
        await this.#turns.next()
        return batch(this.#reader, keys as readonly Key[], ...args)
      }
      const loader = new DataLoader<unknown, unknown, string>(load, {
        cacheKeyFn: signature,
        maxBatchSize: MAX_BATCH,
        batchScheduleFn: (dispatch) => this.#turns.whenIdle(dispatch),
      })
      loading = { loader, loads: 0 }
      loaders.set(name, loading)
    }
    const value = loading.loader.load(key) as Promise<Value>
    if (++loading.loads <= FEW_KEYS) return value
    return value.then((value) => this.#turns.wait().then(() => value))
  }

  /** Drops all loaded values, after a mutation has changed the store. */
  clear(): void {
    this.#loaders.clear()
  }
}

const signature = (value: unknown) =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))
