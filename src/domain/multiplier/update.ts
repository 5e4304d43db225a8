import type { Pool } from 'pg'
import { inWrite, type Queryable } from '../../db/write.ts'
import { GatewayError, type InputProblem } from '../../errors.ts'
import { isoDay } from '../../time.ts'
import { COLUMNS, factorsOf, inForce, REPLACED } from './rule.ts'
import { settleMultipliers } from './settle.ts'

/**
 * A pool's new multipliers, finite and not negative. An omitted one stays the same, or is 0 if the
 * pool had none.
 */
export interface MultiplierUpdate {
  poolAddress: string
  depositA?: number | null
  depositB?: number | null
  borrowA?: number | null
  borrowB?: number | null
  /** The first distribution date that they count for. Without it they count for every date. */
  from?: Date | null
}

export interface Factors {
  depositA: number
  depositB: number
  borrowA: number
  borrowB: number
}

export const FACTOR_NAMES = [
  'depositA',
  'depositB',
  'borrowA',
  'borrowB',
] as const satisfies (keyof Factors)[]

/** A change of a pool's multipliers: of those of its first date or, without one, of today. */
export interface MultiplierChange {
  poolAddress: string
  /** YYYY-MM-DD. Undefined for a change of every date. */
  from?: string | undefined
  before: Factors | undefined
  /** Undefined if the pool has none any more. */
  after: Factors | undefined
}

/**
 * The maximum number of updates in one request, far above the number of pools of any lending
 * protocol.
 */
export const MAX_UPDATES = 10_000

/**
 * Updates multipliers, all of them or none. Points already stored do not change until their date is
 * resynced.
 * @param accept throws if the changes must not be stored
 * @returns the changes, in the order of the updates
 * @throws BAD_INPUT for an empty list, a duplicate pool or an invalid number, NOT_FOUND for an
 * unknown pool
 */
export async function updateMultipliers(
  deps: ChangeDeps,
  updates: MultiplierUpdate[],
  requestedBy: string,
  accept?: (changes: MultiplierChange[]) => void,
): Promise<MultiplierChange[]> {
  assertUpdates(updates)
  return changeMultipliers(deps, requestedBy, async (client) => {
    const changed = updates.map(({ poolAddress, from }) => ({
      poolAddress,
      from: from ? isoDay(from) : undefined,
    }))
    const changes = await changesBy(client, changed, isoDay(deps.now()), () =>
      applyMultipliers(client, updates),
    )
    accept?.(changes)
    return changes
  })
}

/** The dependencies of a change of multipliers, base points or seasons. */
export interface ChangeDeps {
  pool: Pool
  now(): Date
  signal?: AbortSignal
}

/**
 * Runs a change of multipliers in a transaction that has the writers' lock, then makes the stored
 * ones those of today.
 */
export const changeMultipliers = <T>(
  { pool, now, signal }: ChangeDeps,
  requestedBy: string,
  work: (client: Queryable) => Promise<T>,
): Promise<T> =>
  inWrite({ pool, signal }, async (writer) => {
    await writer.lock()
    await actAs(writer, requestedBy)
    await settleMultipliers(writer, isoDay(now()))
    const result = await work(writer)
    await settleMultipliers(writer, isoDay(now()))
    return result
  })

/** SQL of the factors of a multiplier or a revision. */
export const FACTORS = `deposit_token_a AS "depositA", deposit_token_b AS "depositB",
  borrow_token_a AS "borrowA",
  borrow_token_b AS "borrowB"`

/** Does a change of these pools, and compares the multipliers of their first dates. */
export async function changesBy(
  client: Queryable,
  changed: Pick<MultiplierChange, 'poolAddress' | 'from'>[],
  today: string,
  work: () => Promise<void>,
): Promise<MultiplierChange[]> {
  const firsts = changed.map(({ poolAddress, from }) => ({ poolAddress, date: from ?? today }))
  const before = await rulesOn(client, firsts)
  await work()
  const after = await rulesOn(client, firsts)
  return changed.map((one, at) => ({ ...one, before: before[at], after: after[at] }))
}

// The multipliers that are in force for each pool and date, in their order.
async function rulesOn(
  client: Queryable,
  keys: { poolAddress: string; date: string }[],
): Promise<(Factors | undefined)[]> {
  const { rows } = await client.query<Factors & { at: number }>(
    `SELECT u.at::int - 1 AS at, ${FACTORS}
      FROM unnest($1::text[], $2::date[]) WITH ORDINALITY AS u(pool, date, at)
     JOIN multiplier_rule m ON m.pool_address = u.pool AND ${inForce('m', 'u.date')}
       AND m.deposit_token_a IS NOT NULL`,
    [keys.map(({ poolAddress }) => poolAddress), keys.map(({ date }) => date)],
  )
  const factorsByKey: (Factors | undefined)[] = new Array(keys.length).fill(undefined)
  for (const { at, ...factors } of rows) factorsByKey[at] = factors
  return factorsByKey
}

/**
 * @throws BAD_INPUT for an empty list, a list that is too long, a duplicate pool or an invalid
 * number
 */
export function assertUpdates(updates: MultiplierUpdate[]): void {
  const problems = problemsOf(updates)
  if (problems.length)
    throw new GatewayError(
      'BAD_INPUT',
      'The multipliers are not valid; nothing was changed.',
      problems,
    )
}

/** Sets the actor of this transaction in the multipliers' history. */
export async function actAs(client: Queryable, requestedBy: string): Promise<void> {
  await client.query("SELECT set_config('gateway.actor', $1, true)", [requestedBy])
}

/**
 * Writes validated updates in the caller's transaction, which has the writers' lock.
 * @throws NOT_FOUND for an unknown pool
 */
export async function applyMultipliers(
  client: Queryable,
  updates: MultiplierUpdate[],
): Promise<void> {
  await assertPools(
    client,
    updates.map((update) => update.poolAddress),
  )
  const [dated, undated] = [updates.filter(({ from }) => from), updates.filter(({ from }) => !from)]
  if (undated.length > 0) await setMultipliers(client, undated)
  if (dated.length > 0) await announceMultipliers(client, dated)
}

async function assertPools(client: Queryable, addresses: string[]): Promise<void> {
  const stored = await client.query<{ id: string }>(
    'SELECT id FROM pool WHERE id = ANY($1::text[])',
    [addresses],
  )
  const ids = new Set(stored.rows.map((row) => row.id))
  const unknown = addresses.filter((address) => !ids.has(address))
  if (unknown.length)
    throw new GatewayError(
      'NOT_FOUND',
      `There is no pool ${unknown.slice(0, 10).join(', ')}; nothing was changed.`,
    )
}

const columnsOf = (updates: MultiplierUpdate[]) => [
  updates.map((u) => u.poolAddress),
  ...FACTOR_NAMES.map((name) => updates.map((u) => u[name] ?? null)),
]
const GIVEN = 'unnest($1::text[], $2::float8[], $3::float8[], $4::float8[], $5::float8[]'
const KEPT = `coalesce(u.da, m.deposit_token_a, 0), coalesce(u.db, m.deposit_token_b, 0),
  coalesce(u.ba, m.borrow_token_a, 0), coalesce(u.bb, m.borrow_token_b, 0)`
/** SQL of who makes a change. */
export const ACTOR = "coalesce(nullif(current_setting('gateway.actor', true), ''), session_user)"

// Sets the multipliers of every date. Triggers record the revisions.
async function setMultipliers(client: Queryable, updates: MultiplierUpdate[]): Promise<void> {
  await client.query(
    `INSERT INTO multiplier AS m (id, pool_address, ${COLUMNS}, created_at, updated_at)
     SELECT gen_random_uuid()::text, u.pool, ${KEPT}, statement_timestamp(), statement_timestamp()
     FROM ${GIVEN}) AS u(pool, da, db, ba, bb) LEFT JOIN multiplier m ON m.pool_address = u.pool
     ${REPLACED}`,
    columnsOf(updates),
  )
  // A multiplier that is today's already is new for the dates of other rules.
  await client.query(
    `INSERT INTO multiplier_revision (pool_address, ${COLUMNS}, changed_at, changed_by)
     SELECT pool_address, ${COLUMNS}, updated_at, ${ACTOR} FROM multiplier m
     WHERE pool_address = ANY($1::text[]) AND EXISTS (
       SELECT FROM multiplier_rule r
       WHERE r.pool_address = m.pool_address AND r.from_date IS NOT NULL)
     ORDER BY 1`,
    [updates.map(({ poolAddress }) => poolAddress)],
  )
}

// Records the multipliers from a date on, unless they are in force for all these dates.
async function announceMultipliers(client: Queryable, updates: MultiplierUpdate[]): Promise<void> {
  await client.query(
    `INSERT INTO multiplier_revision (pool_address, ${COLUMNS}, changed_at, changed_by, from_date)
     SELECT new.*, statement_timestamp(), ${ACTOR}, u.date
     FROM ${GIVEN}, $6::date[]) AS u(pool, da, db, ba, bb, date)
     LEFT JOIN multiplier_rule m ON m.pool_address = u.pool AND ${inForce('m', 'u.date')}
     CROSS JOIN LATERAL (SELECT u.pool, ${KEPT}) new(pool_address, ${COLUMNS})
     WHERE m.until_date IS NOT NULL OR (${factorsOf('m')})
       IS DISTINCT FROM (${factorsOf('new')})
     ORDER BY u.pool`,
    [...columnsOf(updates), updates.map(({ from }) => isoDay(from as Date))],
  )
}

function problemsOf(updates: MultiplierUpdate[]): InputProblem[] {
  const problem = (name: string, message: string): InputProblem => ({ in: 'body', name, message })
  if (updates.length === 0) return [problem('', 'must hold at least one multiplier')]
  if (updates.length > MAX_UPDATES)
    return [problem('', `must hold at most ${MAX_UPDATES} multipliers`)]
  const seen = new Set<string>()
  const problems: InputProblem[] = []
  updates.forEach((update, i) => {
    if (seen.has(update.poolAddress))
      problems.push(problem(`${i}.poolAddress`, 'is in the list twice'))
    seen.add(update.poolAddress)
    for (const [name, value] of Object.entries(update))
      if (
        name !== 'poolAddress' &&
        name !== 'from' &&
        value !== undefined &&
        !(typeof value === 'number' && Number.isFinite(value) && value >= 0)
      )
        problems.push(problem(`${i}.${name}`, 'must be a finite number from 0 up'))
  })
  return problems
}
