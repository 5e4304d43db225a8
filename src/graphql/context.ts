import { Batches, Turns } from 'pothos-sql/host'
import type { Batch, Reader } from '../db/connect/reader.ts'
import { GatewayError } from '../errors.ts'
import type { GatewayDeps } from './deps.ts'

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
  batches: Batches<Reader>
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
