import type { Pool } from 'pg'
import { inWrite, type Writer } from '../../db/write.ts'
import { RunTables } from '../distribution/run-tables.ts'
import { digestSql } from '../points/digest.ts'
import { rebuildRankHistory } from '../points/rebuild-rank-history.ts'
import { refreshPoolDays } from '../points/refresh-pool-days.ts'
import { refreshMovers } from '../position/mover.ts'
import { ChangedVaults, dayOf } from '../vault/refresh-vault-days.ts'
import { type DerivedTable, holdingsTable, totalsTables, WORTH } from './derived-tables.ts'

// A part of the work that is stored.
interface RebuiltPart {
  /** The restored sums: `2026-03-01`, `accounts`, `holdings`, ... */
  part: string
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
 * ranks, those of past dates, holdings, worth, net cash, net liquidations and days of vaults. Each
 * part is one transaction that writes only the rows which differ, so it can be interrupted at any
 * time and run again.
 * Requests are answered meanwhile, and writers wait for one part at most.
 */
export async function* rebuildSums(deps: RebuildDeps): AsyncGenerator<RebuiltPart> {
  const { pool, signal } = deps
  const part = async (
    name: string,
    work: (writer: Writer) => Promise<number>,
  ): Promise<RebuiltPart> => {
    const rows = await inWrite({ pool, signal }, async (writer) => {
      await writer.lock()
      return work(writer)
    })
    return { part: name, rows }
  }
  const { rows: dates } = await pool.query<{ date: string }>(
    `SELECT date::text FROM distribution
     UNION SELECT DISTINCT distribution_date::text FROM stored_position ORDER BY 1`,
  )
  for (const { date } of dates) yield await part(date, (writer) => rebuildDate(writer, date))
  yield await part('accounts', rebuildAccounts)
  for (const kind of ['market', 'vault'] as const) {
    const holdings = await holdingsTable(pool, kind)
    yield await part(`${kind} holdings`, (writer) => replaceRows(writer, holdings))
  }
  yield await part('user worth', (writer) => replaceRows(writer, WORTH))
  yield await part('vault days', rebuildVaultDays)
  for (const totals of await totalsTables(pool))
    yield await part(totals.table.replace('_', ' '), (writer) => replaceRows(writer, totals))
  yield await part('pairs of tokens', refreshMovers)
  await part(PAST_RANKS, forgetRanks)
  yield { part: PAST_RANKS, rows: await rebuildRankHistory(pool, signal) }
}

async function rebuildDate(writer: Writer, date: string): Promise<number> {
  const tables = await RunTables.open(writer, false)
  await tables.sumDays([date])
  const { rows: gone } = await writer.query<{ user: string }>(
    `SELECT user_address AS user
     FROM (SELECT user_address FROM account_day WHERE distribution_date = $1 OFFSET 0) stored
     EXCEPT SELECT user_address FROM refreshed_day`,
    [date],
  )
  if (gone.length > 0)
    await tables.removeDays(
      gone.map(({ user }) => user),
      [date],
    )
  const days = await tables.storeDays()
  const distributions = await rebuildDistribution(writer, date)
  return gone.length + days + distributions + (await refreshPoolDays(writer, [date]))
}

// A date has a distribution if it has positions. One that has none yet is of this moment.
async function rebuildDistribution(writer: Writer, date: string): Promise<number> {
  const { rows } = await writer.query<{
    points: string
    positions: string
    accounts: number
    digest: string
  }>(
    `SELECT coalesce(sum(points), 0)::bigint AS points,
       coalesce(sum(position_count), 0) AS positions,
       count(*)::int AS accounts, ${digestSql()} AS digest FROM refreshed_day`,
  )
  const { points, positions, accounts, digest } = rows[0] as (typeof rows)[0]
  if (accounts === 0) {
    const { rowCount } = await writer.query('DELETE FROM distribution WHERE date = $1', [date])
    return rowCount ?? 0
  }
  const { rowCount } = await writer.query(
    `INSERT INTO distribution AS d (date, total_points, position_count, account_count, digest,
       kind, started_at, finished_at)
     VALUES ($1, $2, $3, $4, $5, 'import', clock_timestamp(), clock_timestamp())
     ON CONFLICT (date) DO UPDATE
     SET total_points = excluded.total_points, position_count = excluded.position_count,
       account_count = excluded.account_count, digest = excluded.digest
     WHERE (d.total_points, d.position_count, d.account_count, d.digest)
       IS DISTINCT FROM (excluded.total_points, excluded.position_count,
         excluded.account_count, excluded.digest)`,
    [date, points, positions, accounts, digest],
  )
  return rowCount ?? 0
}

async function rebuildAccounts(writer: Writer): Promise<number> {
  const tables = await RunTables.open(writer, false)
  await tables.rankAccounts(
    `SELECT user_address, sum(points)::bigint AS points, sum(position_count)::int AS position_count,
       min(distribution_date) AS first_distribution_date,
       max(distribution_date) AS last_distribution_date
     FROM account_day GROUP BY user_address`,
  )
  return tables.storeAccounts('SELECT user_address FROM account')
}

// Removes the rows that are not in the query, and adds those that are missing.
async function replaceRows(
  writer: Writer,
  { table, key, columns, rows }: DerivedTable,
): Promise<number> {
  const stored = `SELECT ${columns} FROM ${table}`
  const equal = key.map((column) => `t.${column} = gone.${column}`).join(' AND ')
  const removed = await writer.query(
    `DELETE FROM ${table} t USING (${stored} EXCEPT ${rows}) gone WHERE ${equal}`,
  )
  const added = await writer.query(`INSERT INTO ${table} (${columns}) ${rows} EXCEPT ${stored}`)
  return Math.max(removed.rowCount ?? 0, added.rowCount ?? 0)
}

async function rebuildVaultDays(writer: Writer): Promise<number> {
  const before = await vaultDays(writer)
  const { rows: gone } = await writer.query<{ chain: string; vault: string; date: string }>(
    `SELECT chain_id AS chain, vault_id AS vault, date::text AS date
      FROM (SELECT chain_id, vault_id, date FROM vault_day
       EXCEPT SELECT chain_id, vault_id, ${dayOf('timestamp')} FROM vault_snapshot) gone`,
  )
  if (gone.length > 0)
    await writer.query(
      `DELETE FROM vault_day d USING unnest($1::bigint[], $2::text[], $3::date[]) AS gone(chain,
        vault, date)
       WHERE d.chain_id = gone.chain AND d.vault_id = gone.vault AND d.date = gone.date`,
      [
        gone.map(({ chain }) => chain),
        gone.map(({ vault }) => vault),
        gone.map(({ date }) => date),
      ],
    )
  const vaults = new ChangedVaults(writer)
  await vaults.noteAll()
  await vaults.refresh()
  return before === (await vaultDays(writer)) ? 0 : Math.max(1, gone.length)
}

async function vaultDays(writer: Writer): Promise<string> {
  const { rows } = await writer.query<{ digest: string }>(
    `SELECT coalesce(sum(hashtextextended(d::text, 0)::numeric), 0)::text AS digest
     FROM vault_day d`,
  )
  return rows[0]?.digest ?? ''
}

// The ranks of past dates are computed again, each from the date before it.
async function forgetRanks(writer: Writer): Promise<number> {
  const { rowCount } = await writer.query('DELETE FROM rank_history_date')
  return rowCount ?? 0
}
