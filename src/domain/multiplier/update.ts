import type { Pool, PoolClient } from 'pg'
import { cancelOnAbort } from '../../db/connect/cancel.ts'
import { inTransaction } from '../../db/connect/transaction.ts'
import { GatewayError, type InputProblem } from '../../errors.ts'
import { lockWriters } from '../points/refresh-rollups.ts'

/** A pool's new multipliers, finite and not negative. An omitted one stays the same, or is 0 if the pool had none. */
export interface MultiplierUpdate {
  poolAddress: string
  depositA?: number | null
  depositB?: number | null
  borrowA?: number | null
  borrowB?: number | null
}

/** The multipliers of a pool. */
export interface Factors {
  depositA: number
  depositB: number
  borrowA: number
  borrowB: number
}

/** A change of a pool's multipliers. */
export interface MultiplierChange {
  poolAddress: string
  /** Undefined if the pool had none. */
  before: Factors | undefined
  /** Undefined if the pool has none any more. */
  after: Factors | undefined
}

/** The maximum number of updates in one request, far above the number of pools of any lending protocol. */
export const MAX_UPDATES = 10_000

/**
 * Updates multipliers, all of them or none. Points already stored do not change until their date is resynced.
 * @param requestedBy the actor in the multipliers' history
 * @param accept throws if the changes must not be stored
 * @returns the changes, in the order of the updates
 * @throws BAD_INPUT for an empty list, a duplicate pool or an invalid number, NOT_FOUND for an unknown pool
 */
export async function updateMultipliers(
  deps: MultiplierDeps,
  updates: MultiplierUpdate[],
  requestedBy: string,
  accept?: (changes: MultiplierChange[]) => void,
): Promise<MultiplierChange[]> {
  assertUpdates(updates)
  return changeMultipliers(deps, requestedBy, async (client) => {
    const addresses = updates.map(({ poolAddress }) => poolAddress)
    const before = await readMultipliers(client, addresses)
    await applyMultipliers(client, updates)
    const after = await readMultipliers(client, addresses)
    const changes = addresses.map((poolAddress) => ({
      poolAddress,
      before: before.get(poolAddress),
      after: after.get(poolAddress),
    }))
    accept?.(changes)
    return changes
  })
}

export interface MultiplierDeps {
  pool: Pool
  signal?: AbortSignal
}

/** Runs a change of multipliers in a transaction that has the writers' lock. */
export const changeMultipliers = <T>(
  { pool, signal }: MultiplierDeps,
  requestedBy: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> =>
  inTransaction(pool, (client) =>
    cancelOnAbort(client, signal, async () => {
      await lockWriters(client)
      await actAs(client, requestedBy)
      return work(client)
    }),
  )

/** SQL of the factors of a multiplier or a revision. */
export const FACTORS = `deposit_token_a AS "depositA", deposit_token_b AS "depositB", borrow_token_a AS "borrowA",
  borrow_token_b AS "borrowB"`

/** The multipliers of those of the pools that have one, by the pool's address. */
export async function readMultipliers(client: PoolClient, pools: string[]): Promise<Map<string, Factors>> {
  const { rows } = await client.query<Factors & { pool: string }>(
    `SELECT pool_address AS pool, ${FACTORS} FROM multiplier WHERE pool_address = ANY($1::text[])`,
    [pools],
  )
  return new Map(rows.map(({ pool, ...factors }) => [pool, factors]))
}

/** @throws BAD_INPUT for an empty list, a list that is too long, a duplicate pool or an invalid number */
export function assertUpdates(updates: MultiplierUpdate[]): void {
  const problems = problemsOf(updates)
  if (problems.length)
    throw new GatewayError('BAD_INPUT', 'The multipliers are not valid; nothing was changed.', problems)
}

/** Sets the actor of this transaction in the multipliers' history. */
export async function actAs(client: PoolClient, requestedBy: string): Promise<void> {
  await client.query("SELECT set_config('gateway.actor', $1, true)", [requestedBy])
}

/**
 * Writes validated updates in the caller's transaction, which has the writers' lock.
 * @throws NOT_FOUND for an unknown pool
 */
export async function applyMultipliers(client: PoolClient, updates: MultiplierUpdate[]): Promise<void> {
  const addresses = updates.map((update) => update.poolAddress)
  const column = (value: (update: MultiplierUpdate) => number | null | undefined) =>
    updates.map((u) => value(u) ?? null)
  const stored = await client.query<{ id: string }>('SELECT id FROM pool WHERE id = ANY($1::text[])', [addresses])
  const ids = new Set(stored.rows.map((row) => row.id))
  const unknown = addresses.filter((address) => !ids.has(address))
  if (unknown.length)
    throw new GatewayError('NOT_FOUND', `There is no pool ${unknown.slice(0, 10).join(', ')}; nothing was changed.`)
  await client.query(
    `INSERT INTO multiplier AS m
       (id, pool_address, deposit_token_a, deposit_token_b, borrow_token_a, borrow_token_b, created_at, updated_at)
     SELECT gen_random_uuid()::text, u.pool, coalesce(u.da, m.deposit_token_a, 0), coalesce(u.db, m.deposit_token_b, 0),
       coalesce(u.ba, m.borrow_token_a, 0), coalesce(u.bb, m.borrow_token_b, 0),
       statement_timestamp(), statement_timestamp()
     FROM unnest($1::text[], $2::float8[], $3::float8[], $4::float8[], $5::float8[]) AS u(pool, da, db, ba, bb)
     LEFT JOIN multiplier m ON m.pool_address = u.pool
     ON CONFLICT (pool_address) DO UPDATE SET deposit_token_a = excluded.deposit_token_a,
       deposit_token_b = excluded.deposit_token_b, borrow_token_a = excluded.borrow_token_a,
       borrow_token_b = excluded.borrow_token_b, updated_at = excluded.updated_at`,
    [
      addresses,
      column((u) => u.depositA),
      column((u) => u.depositB),
      column((u) => u.borrowA),
      column((u) => u.borrowB),
    ],
  )
}

function problemsOf(updates: MultiplierUpdate[]): InputProblem[] {
  const problem = (name: string, message: string): InputProblem => ({ in: 'body', name, message })
  if (updates.length === 0) return [problem('', 'must hold at least one multiplier')]
  if (updates.length > MAX_UPDATES) return [problem('', `must hold at most ${MAX_UPDATES} multipliers`)]
  const seen = new Set<string>()
  const problems: InputProblem[] = []
  updates.forEach((update, i) => {
    if (seen.has(update.poolAddress)) problems.push(problem(`${i}.poolAddress`, 'is in the list twice'))
    seen.add(update.poolAddress)
    for (const [name, value] of Object.entries(update))
      if (
        name !== 'poolAddress' &&
        value !== undefined &&
        !(typeof value === 'number' && Number.isFinite(value) && value >= 0)
      )
        problems.push(problem(`${i}.${name}`, 'must be a finite number from 0 up'))
  })
  return problems
}
