import DataLoader from 'dataloader'
import type { Batch, Reader } from '../db/connect/reader.ts'
import { GatewayError } from '../errors.ts'
import type { GatewayDeps } from './deps.ts'
import { Turns } from './turns.ts'

/**
 * The right of the caller to write: the name of the token that was sent, or `no`. `closed` if the
 * server has no token.
 */
export type Admin = { name: string } | 'no' | 'closed'

/**
 * The context of every resolver: its reader of the store, its batches, and whether the caller may
 * write.
 */
export interface GraphContext {
  deps: GatewayDeps
  reader: Reader
  admin: Admin
  batches: Batches
  /** Splits its work. */
  turns: Turns
}

/** Creates the context of one operation, with empty batches. */
export function contextOf(deps: GatewayDeps, reader: Reader, admin: Admin): GraphContext {
  const turns = new Turns(() => reader.isOver)
  return { deps, reader, admin, turns, batches: new Batches(reader, turns) }
}

/**
 * Makes a batch of a function that reads a single value, so that each operation reads it only once.
 */
export const once =
  <Value, Args extends unknown[]>(
    read: (reader: Reader, ...args: Args) => Promise<Value>,
  ): Batch<'', Value, Args> =>
  async (reader, _, ...args) => [await read(reader, ...args)]

/** Larger batches would hold the event loop. */
const MAX_BATCH = 2000
/** The values of further keys are given out in turn. */
const FEW_KEYS = 20

type Loaders = Map<string, { loader: DataLoader<unknown, unknown, string>; loads: number }>

/** The DataLoaders of one operation, one per batch function and arguments. */
export class Batches {
  readonly #reader: Reader
  readonly #turns: Turns
  readonly #loaders = new Map<unknown, Loaders>()

  constructor(reader: Reader, turns: Turns) {
    this.#reader = reader
    this.#turns = turns
  }

  /** Loads a key, batched with all keys of the same tick, function and arguments. */
  load<Key, Value, Args extends unknown[]>(
    batch: Batch<Key, Value, Args>,
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

/**
 * Returns the name of the caller's admin token.
 * @throws UNAUTHENTICATED or FORBIDDEN unless the caller may write
 */
export function requireAdmin(admin: Admin): string {
  if (admin === 'closed')
    throw new GatewayError(
      'FORBIDDEN',
      'Changes over HTTP are off on this server. Set ADMIN_TOKEN to allow them.',
    )
  if (admin === 'no')
    throw new GatewayError(
      'UNAUTHENTICATED',
      'Send the admin token as "Authorization: Bearer <token>" to make changes.',
    )
  return admin.name
}

/** The dependencies of a change of rules. */
export const changeDeps = ({ deps }: GraphContext) => ({ pool: deps.store.pool, now: deps.now })
