import type { Pool, PoolClient } from 'pg'
import { inTransaction } from '../../db/connect/transaction.ts'
import { topologyOf } from '../../db/topology/find-topology.ts'
import { mergeRows } from '../../db/topology/merge.ts'
import type { Topology } from '../../db/topology/topology.ts'
import type { EntityType } from '../holding/place.ts'
import { keepRemoved } from '../ledger/record.ts'
import { digestSql } from '../points/digest.ts'
import { rebuildRankHistory } from '../points/rebuild-rank-history.ts'
import { refreshPoolDays } from '../points/refresh-pool-days.ts'
import { lockWriters, sumDays } from '../points/refresh-rollups.ts'
import { CHANGED_VAULTS, dayOf, refreshVaultDays } from '../vault/refresh-vault-days.ts'

/** A part of the work that is stored. */
export interface RebuiltPart {
  /** The restored sums: `2026-03-01`, `accounts`, `holdings`, ... */
  part: string
  /** How many rows were wrong, missing or left over. */
  rows: number
}

/** The part whose rows are dates. */
export const PAST_RANKS = 'ranks of past dates'

interface RebuildDeps {
  pool: Pool
  signal?: AbortSignal | undefined
}

/**
 * Restores every stored sum from the records: points by account and by pool of each date, totals,
 * ranks, those of past dates, holdings, net cash and days of vaults. Each part is one transaction
 * that writes only the rows which differ, so it can be interrupted at any time and run again.
 * Requests are answered meanwhile, and writers wait for one part at most.
 */
export async function* rebuildSums(deps: RebuildDeps): AsyncGenerator<RebuiltPart> {
  const { pool, signal } = deps
  const topology = await topologyOf(pool as unknown as PoolClient)
  const part = async (
    name: string,
    work: (client: PoolClient) => Promise<number>,
  ): Promise<RebuiltPart> => {
    const rows = await inTransaction({ pool, signal }, async (client) => {
      await lockWriters(client)
      return work(client)
    })
    return { part: name, rows }
  }
  const { rows: dates } = await pool.query<{ date: string }>(
    `SELECT date::text FROM distribution UNION SELECT DISTINCT distribution_date::text FROM stored_position ORDER BY 1`,
  )
  for (const { date } of dates)
    yield await part(date, (client) => rebuildDate(client, topology, date))
  yield await part('accounts', (client) => rebuildAccounts(client, topology))
  for (const kind of ['market', 'vault'] as const)
    yield await part(`${kind} holdings`, (client) => rebuildHoldings(client, kind))
  yield await part('vault days', (client) => rebuildVaultDays(client, topology))
  const netCash = topology.form({ one: rebuildNetCash, cluster: undefined })
  if (netCash) yield await part('net cash', netCash)
  await part(PAST_RANKS, forgetRanks)
  yield { part: PAST_RANKS, rows: await rebuildRankHistory(pool, signal) }
}

/** Restores the sums of a date's positions. */
async function rebuildDate(client: PoolClient, topology: Topology, date: string): Promise<number> {
  await sumDays(client, [date], false)
  await client.query('ANALYZE refreshed_day')
  const { rows: gone } = await client.query<{ user: string }>(
    `SELECT user_address AS user FROM (SELECT user_address FROM account_day WHERE distribution_date = $1 OFFSET 0) stored
     EXCEPT SELECT user_address FROM refreshed_day`,
    [date],
  )
  if (gone.length > 0) {
    const users = gone.map(({ user }) => user)
    await keepRemoved(client, topology, { users, dates: [date], noted: false })
    const remove =
      'DELETE FROM account_day WHERE user_address = ANY($1::text[]) AND distribution_date = $2'
    await client.query(remove, [users, date])
  }
  const days = await mergeRows(client, topology, {
    into: 'account_day',
    key: ['user_address', 'distribution_date'],
    values: ['points', 'position_count'],
    from: '(SELECT * FROM refreshed_day ORDER BY user_address, distribution_date)',
  })
  const changed = gone.length + days
  const distributions = await rebuildDistribution(client, date)
  await client.query('DROP TABLE refreshed_day')
  return changed + distributions + (await refreshPoolDays(client, [date]))
}

/** A date has a distribution if it has positions. One that has none yet is of this moment. */
async function rebuildDistribution(client: PoolClient, date: string): Promise<number> {
  const { rows } = await client.query<{
    points: string
    positions: string
    accounts: number
    digest: string
  }>(
    `SELECT coalesce(sum(points), 0)::bigint AS points, coalesce(sum(position_count), 0) AS positions, count(*)::int AS accounts,
       ${digestSql()} AS digest FROM refreshed_day`,
  )
  const { points, positions, accounts, digest } = rows[0] as (typeof rows)[0]
  if (accounts === 0) {
    const { rowCount } = await client.query('DELETE FROM distribution WHERE date = $1', [date])
    return rowCount ?? 0
  }
  const { rowCount } = await client.query(
    `INSERT INTO distribution AS d (date, total_points, position_count, account_count, digest, kind, started_at, finished_at)
     VALUES ($1, $2, $3, $4, $5, 'import', clock_timestamp(), clock_timestamp())
     ON CONFLICT (date) DO UPDATE SET total_points = excluded.total_points, position_count = excluded.position_count,
       account_count = excluded.account_count, digest = excluded.digest
     WHERE (d.total_points, d.position_count, d.account_count, d.digest)
       IS DISTINCT FROM (excluded.total_points, excluded.position_count, excluded.account_count, excluded.digest)`,
    [date, points, positions, accounts, digest],
  )
  return rowCount ?? 0
}

/** Restores the totals and ranks of all accounts, and the program's totals. */
async function rebuildAccounts(client: PoolClient, topology: Topology): Promise<number> {
  await client.query(
    `CREATE TEMP TABLE ranked_account ON COMMIT DROP AS
     SELECT *, row_number() OVER (ORDER BY points DESC, user_address)::int AS rank
     FROM (SELECT user_address, sum(points)::bigint AS points, sum(position_count)::int AS position_count,
       min(distribution_date) AS first_distribution_date, max(distribution_date) AS last_distribution_date
       FROM account_day GROUP BY user_address) a`,
  )
  await client.query('ANALYZE ranked_account')
  const { rows: gone } = await client.query<{ user: string }>(
    'SELECT user_address AS user FROM account EXCEPT SELECT user_address FROM ranked_account',
  )
  if (gone.length > 0)
    await client.query('DELETE FROM account WHERE user_address = ANY($1::text[])', [
      gone.map(({ user }) => user),
    ])
  const values = [
    'points',
    'rank',
    'position_count',
    'first_distribution_date',
    'last_distribution_date',
  ]
  const accounts = await mergeRows(client, topology, {
    into: 'account',
    key: ['user_address'],
    values,
    from: 'ranked_account',
  })
  const program = await client.query(
    `UPDATE program p SET total_points = d.points, position_count = d.positions, account_count = d.accounts
     FROM (SELECT coalesce(sum(total_points), 0)::bigint AS points, coalesce(sum(position_count), 0) AS positions,
       (SELECT count(*) FROM ranked_account)::int AS accounts FROM distribution OFFSET 0) d
     WHERE (p.total_points, p.position_count, p.account_count) IS DISTINCT FROM (d.points, d.positions, d.accounts)`,
  )
  await client.query('DROP TABLE ranked_account')
  return gone.length + accounts + (program.rowCount ?? 0)
}

/** SQL of the newest snapshots of each user in each market or vault, which holdings are. */
export const newestSnapshots = (kind: EntityType, columns: string) =>
  `SELECT ${columns} FROM (SELECT *, max(timestamp) OVER (PARTITION BY user_address, chain_id, ${kind}_id) AS newest
    FROM ${kind}_snapshot) s WHERE timestamp = newest`

/** The columns of a table, since two tables may have the same ones in another order. */
export async function columnsOf(client: Pick<PoolClient, 'query'>, table: string): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  )
  return rows[0]?.columns ?? ''
}

async function rebuildHoldings(client: PoolClient, kind: EntityType): Promise<number> {
  const columns = await columnsOf(client, `${kind}_holding`)
  const key = ['user_address', 'chain_id', `${kind}_id`, 'position_id']
  const equal = key.map((column) => `h.${column} = g.${column}`).join(' AND ')
  return replaceRows(client, `${kind}_holding`, columns, newestSnapshots(kind, columns), equal)
}

const NET_CASH_KEY = ['user_address', 'chain_id', 'entity_type', 'entity_id']

async function rebuildNetCash(client: PoolClient): Promise<number> {
  const columns = await columnsOf(client, 'net_cash')
  const equal = NET_CASH_KEY.map((column) => `h.${column} = g.${column}`).join(' AND ')
  return replaceRows(client, 'net_cash', columns, `SELECT ${columns} FROM cash_flow_total`, equal)
}

/**
 * Removes the rows that are not in `right`, and adds those that are missing.
 * @returns how many were wrong
 */
async function replaceRows(
  client: PoolClient,
  table: string,
  columns: string,
  right: string,
  equal: string,
) {
  const stored = `SELECT ${columns} FROM ${table}`
  const removed = await client.query(
    `DELETE FROM ${table} h USING (${stored} EXCEPT ${right}) g WHERE ${equal}`,
  )
  const added = await client.query(`INSERT INTO ${table} (${columns}) ${right} EXCEPT ${stored}`)
  return Math.max(removed.rowCount ?? 0, added.rowCount ?? 0)
}

async function rebuildVaultDays(client: PoolClient, topology: Topology): Promise<number> {
  const before = await vaultDays(client)
  const { rows: gone } = await client.query<{ chain: string; vault: string; date: string }>(
    `SELECT chain_id AS chain, vault_id AS vault, date::text AS date FROM (SELECT chain_id, vault_id, date FROM vault_day
       EXCEPT SELECT chain_id, vault_id, ${dayOf('timestamp')} FROM vault_snapshot) gone`,
  )
  if (gone.length > 0)
    await client.query(
      `DELETE FROM vault_day d USING unnest($1::bigint[], $2::text[], $3::date[]) AS gone(chain, vault, date)
       WHERE d.chain_id = gone.chain AND d.vault_id = gone.vault AND d.date = gone.date`,
      [
        gone.map(({ chain }) => chain),
        gone.map(({ vault }) => vault),
        gone.map(({ date }) => date),
      ],
    )
  await client.query(CHANGED_VAULTS)
  await client.query(
    `INSERT INTO changed_vault SELECT chain_id, vault_id, date '1970-01-01' FROM vault_snapshot GROUP BY 1, 2`,
  )
  await client.query(refreshVaultDays(topology))
  return before === (await vaultDays(client)) ? 0 : Math.max(1, gone.length)
}

/** A digest of the stored days of vaults. */
async function vaultDays(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ digest: string }>(
    `SELECT coalesce(sum(hashtextextended(d::text, 0)::numeric), 0)::text AS digest FROM vault_day d`,
  )
  return rows[0]?.digest ?? ''
}

/** The ranks of past dates are computed again, each from the date before it. */
async function forgetRanks(client: PoolClient): Promise<number> {
  const { rowCount } = await client.query('DELETE FROM rank_history_date')
  return rowCount ?? 0
}
