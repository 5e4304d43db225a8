import DataLoader from 'dataloader'
import type { Reader } from '../../db/connect/reader.ts'
import { GatewayError } from '../../errors.ts'
import type { GatewayDeps } from '../deps.ts'

/** May the caller write: the name of the token that was sent, or not; `closed` is a server that runs without a token. */
export type Admin = { name: string } | 'no' | 'closed'

/** What every resolver has: its snapshot of the store, its batches, and who asks. */
export interface GraphContext {
  deps: GatewayDeps
  reader: Reader
  admin: Admin
  batches: Batches
}

/** Loads a value for each of many keys, in their order, with arguments that are the same for all of them. */
export type Batch<Key, Value, Args extends unknown[] = []> = (
  reader: Reader,
  keys: readonly Key[],
  ...args: Args
) => Promise<Value[]>

/** A batch of the one value that a function reads, so that it is read once for an operation. */
export const once =
  <Value, Args extends unknown[]>(read: (reader: Reader, ...args: Args) => Promise<Value>): Batch<'', Value, Args> =>
  async (reader, _, ...args) => [await read(reader, ...args)]

type Loaders = Map<string, DataLoader<unknown, unknown, string>>

/** The DataLoaders of one operation: one for each batch function and its arguments. */
export class Batches {
  readonly #reader: Reader
  readonly #loaders = new Map<unknown, Loaders>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Loads a key together with all others that are loaded in the same tick by the same function with equal arguments. */
  load<Key, Value, Args extends unknown[]>(
    batch: Batch<Key, Value, Args>,
    key: NoInfer<Key>,
    ...args: Args
  ): Promise<Value> {
    const loaders: Loaders = this.#loaders.get(batch) ?? new Map()
    this.#loaders.set(batch, loaders)
    const name = signature(args)
    let loader = loaders.get(name)
    if (!loader) {
      const loadMany = async (keys: readonly unknown[]) => batch(this.#reader, keys as readonly Key[], ...args)
      loader = new DataLoader<unknown, unknown, string>(loadMany, { cacheKeyFn: signature, maxBatchSize: 10_000 })
      loaders.set(name, loader)
    }
    return loader.load(key) as Promise<Value>
  }

  /** Forgets what was loaded: a mutation has changed the store. */
  clear(): void {
    this.#loaders.clear()
  }
}

const signature = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))

/**
 * @returns who writes: the token's name
 * @throws UNAUTHENTICATED or FORBIDDEN unless the caller may write
 */
export function requireAdmin(admin: Admin): string {
  if (admin === 'closed')
    throw new GatewayError(
      'FORBIDDEN',
      'This server takes no changes: it runs without ADMIN_TOKEN. Set one to allow them.',
    )
  if (admin === 'no')
    throw new GatewayError(
      'UNAUTHENTICATED',
      'Send the admin token as "Authorization: Bearer <token>" to make changes.',
    )
  return admin.name
}
