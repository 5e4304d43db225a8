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

/** The DataLoaders of one operation, made as they are needed and named by what they load and with which arguments. */
export class Batches {
  readonly #loaders = new Map<string, DataLoader<unknown, unknown, string>>()

  /** Loads one key together with all others that are asked of `name` in the same tick. */
  load<K, V>(name: string, key: K, batch: (keys: readonly K[]) => Promise<V[]>): Promise<V> {
    let loader = this.#loaders.get(name)
    if (!loader) {
      loader = new DataLoader<unknown, unknown, string>(batch as (keys: readonly unknown[]) => Promise<unknown[]>, {
        cacheKeyFn: (k) => JSON.stringify(k, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
        maxBatchSize: 10_000,
      })
      this.#loaders.set(name, loader)
    }
    return loader.load(key) as Promise<V>
  }

  /** Forgets what was loaded: a mutation has changed the store. */
  clear(): void {
    this.#loaders.clear()
  }
}

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
