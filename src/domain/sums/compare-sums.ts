import type { Queryable } from '../../db/write.ts'
import { SUMS_OF_POOLS, VALUES } from '../points/refresh-pool-days.ts'
import { WRONG_MOVERS } from '../position/mover.ts'
import { type DerivedTable, holdingsTable, totalsTables, WORTH } from './derived-tables.ts'

// The rows that are compared. Null means all.
interface Sample {
  dates: string[] | null
  users: string[] | null
  ranks: [from: number, to: number] | null
}

const SOME_DATES = 3
const SOME_USERS = 200

/**
 * Compares stored sums with the records. Changes nothing.
 * @param deep all of them; otherwise the newest dates and a random sample of users, with the totals
 * of the program
 * @returns the names of the sums that differ
 */
export async function differingSums(client: Queryable, deep: boolean): Promise<string[]> {
  const sample = deep ? { dates: null, users: null, ranks: null } : await sampleOf(client)
  const tables = [
    await holdingsTable(client, 'market'),
    await holdingsTable(client, 'vault'),
    WORTH,
    ...(await totalsTables(client)),
  ]
  const comparisons = [
    ...ofDates(sample),
    ...ofUsers(sample),
    ...tables.map((table) => ofTable(table, sample)),
    ...TOTALS,
    ...ofRanks(sample),
  ]
  const wrong = new Set<string>()
  for (const { name, differing, values } of comparisons) {
    const { rows } = await client.query(`SELECT EXISTS (${differing}) AS differ`, values)
    if (rows[0].differ) wrong.add(name)
  }
  return [...wrong]
}

async function sampleOf(client: Queryable): Promise<Sample> {
  const { rows: dates } = await client.query<{ date: string }>(
    'SELECT date::text FROM distribution ORDER BY date DESC LIMIT $1',
    [SOME_DATES],
  )
  const { rows: last } = await client.query<{ rank: number | null }>(
    'SELECT max(rank) AS rank FROM account',
  )
  const from = 1 + Math.floor(Math.random() * Math.max(1, (last[0]?.rank ?? 0) - SOME_USERS))
  const ranks: [number, number] = [from, from + SOME_USERS - 1]
  const { rows: users } = await client.query<{ user: string }>(
    'SELECT user_address AS user FROM account WHERE rank BETWEEN $1 AND $2',
    ranks,
  )
  return { dates: dates.map(({ date }) => date), users: users.map(({ user }) => user), ranks }
}

interface Comparison {
  name: string
  differing: string
  values: unknown[]
}

const unequal = (
  name: string,
  right: string,
  stored: string,
  values: unknown[] = [],
): Comparison => ({
  name,
  differing: `(${right} EXCEPT ${stored}) UNION ALL (${stored} EXCEPT ${right})`,
  values,
})

const ON_DATES = '(distribution_date = ANY($1::date[]) OR $1 IS NULL)'
const OF_USERS = '(user_address = ANY($1::text[]) OR $1 IS NULL)'

const daysOfAccounts = (which: string, values: string[] | null) =>
  unequal(
    'days of accounts',
    `SELECT user_address, distribution_date, sum(points_a + points_b)::bigint, count(*)::int
     FROM stored_position WHERE ${which} GROUP BY user_address, distribution_date`,
    `SELECT user_address, distribution_date, points, position_count
     FROM account_day WHERE ${which}`,
    [values],
  )

function ofDates({ dates }: Sample): Comparison[] {
  const pools = ['pool_address', 'distribution_date', ...VALUES].join(', ')
  return [
    daysOfAccounts(ON_DATES, dates),
    unequal(
      'distributions',
      `SELECT distribution_date, sum(points)::bigint, sum(position_count)::int, count(*)::int
       FROM account_day WHERE ${ON_DATES} GROUP BY 1`,
      `SELECT date, total_points, position_count, account_count
       FROM distribution WHERE date = ANY($1::date[]) OR $1 IS NULL`,
      [dates],
    ),
    unequal(
      'days of pools',
      `SELECT ${pools} FROM (${SUMS_OF_POOLS} WHERE ${ON_DATES} GROUP BY 1, 2) s`,
      `SELECT ${pools} FROM pool_day WHERE ${ON_DATES}`,
      [dates],
    ),
  ]
}

function ofUsers({ users }: Sample): Comparison[] {
  return [
    ...(users ? [daysOfAccounts(OF_USERS, users)] : []),
    unequal(
      'totals of accounts',
      `SELECT user_address, sum(points)::bigint, sum(position_count)::int,
         min(distribution_date), max(distribution_date)
       FROM account_day WHERE ${OF_USERS} GROUP BY user_address`,
      `SELECT user_address, points, position_count,
         first_distribution_date, last_distribution_date
       FROM account WHERE ${OF_USERS}`,
      [users],
    ),
  ]
}

const ofTable = ({ table, columns, rows }: DerivedTable, { users }: Sample) =>
  unequal(
    table.endsWith('_holding') ? 'holdings' : table.replace('_', ' '),
    `SELECT * FROM (${rows}) r WHERE ${OF_USERS}`,
    `SELECT ${columns} FROM ${table} WHERE ${OF_USERS}`,
    [users],
  )

const TOTALS: Comparison[] = [
  unequal(
    'totals of pools',
    'SELECT pool_address, sum(a_points + b_points)::bigint FROM pool_day GROUP BY 1',
    'SELECT pool_address, points FROM pool_total',
  ),
  unequal(
    'totals of the program',
    `SELECT coalesce(sum(total_points), 0)::bigint, coalesce(sum(position_count), 0)::bigint,
       (SELECT count(*) FROM account) FROM distribution`,
    'SELECT total_points::bigint, position_count::bigint, account_count::bigint FROM program',
  ),
  {
    name: 'days of vaults',
    differing: `SELECT 1 FROM (
         SELECT DISTINCT ON (chain_id, vault_id) chain_id, vault_id, assets, shares
         FROM vault_day ORDER BY chain_id, vault_id, date DESC) d
       FULL JOIN (
         SELECT chain_id, vault_id, sum(assets) AS assets, sum(shares) AS shares
         FROM vault_holding GROUP BY 1, 2) h USING (chain_id, vault_id)
       WHERE (d.assets, d.shares) IS DISTINCT FROM (h.assets, h.shares)`,
    values: [],
  },
  { name: 'pairs of tokens', differing: WRONG_MOVERS, values: [] },
]

const ofRanks = ({ ranks }: Sample): Comparison[] => [
  {
    name: 'ranks',
    differing: `SELECT 1 FROM (
         SELECT rank, row_number() OVER (ORDER BY points DESC, user_address) + $1::int - 1 AS n
         FROM account WHERE rank BETWEEN $1 AND $2) r
       WHERE rank <> n`,
    values: ranks ?? [1, 2 ** 31 - 1],
  },
  {
    name: 'ranks of past dates',
    differing: `SELECT 1 FROM (
         SELECT distribution_date, count(*) AS n, sum(points) AS points
         FROM rank_history WHERE $1 GROUP BY 1) h
       JOIN rank_history_date r ON r.date = h.distribution_date
       JOIN (SELECT date, sum(total_points) OVER (ORDER BY date) AS points FROM distribution) d
         ON d.date = h.distribution_date
       WHERE d.points <> h.points`,
    values: [ranks === null],
  },
]
