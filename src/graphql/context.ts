import { Batches, Turns } from 'pothos-sql/host'
import type { Batch, Reader } from '../db/connect/reader.ts'
import { GatewayError } from '../errors.ts'
import type { GatewayDeps } from './deps.ts'

/** The work of operators that an API key may be allowed. */
export type Scope = 'runs' | 'rules' | 'hooks' | 'metrics' | 'export' | 'import'

/**
 * The right of the caller to write: the name of the token or key that was sent, with the scopes of
 * a key, or `no`. `closed` if the server has no token.
 */
export type Admin = { name: string; scopes?: readonly Scope[] } | 'no' | 'closed'

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
 * Returns the name of the caller's admin token or key.
 * @param scopes any of them allows it @throws UNAUTHENTICATED or FORBIDDEN unless the caller may
 */
export function requireAdmin(admin: Admin, ...scopes: Scope[]): string {
  const scope = `the scope ${scopes.join(' or ')}`
  const orKey = scopes.length > 0 ? `, or an API key with ${scope},` : ''
  if (admin === 'closed')
    throw new GatewayError(
      'FORBIDDEN',
      `This takes an admin token${orKey} and the server has no admin: set ADMIN_TOKEN.`,
    )
  if (admin === 'no')
    throw new GatewayError(
      'UNAUTHENTICATED',
      `Send the admin token${orKey} as "Authorization: Bearer <token>".`,
    )
  if (admin.scopes && !scopes.some((one) => admin.scopes?.includes(one)))
    throw new GatewayError('FORBIDDEN', `The API key ${admin.name} lacks ${scope}.`)
  return admin.name
}

/** The dependencies of a change of rules. */
export const changeDeps = ({ deps }: GraphContext) => ({ pool: deps.store.pool, now: deps.now })
