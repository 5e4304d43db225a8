import type { Queryable } from '../../db/write.ts'
import { SUMS_OF_POOLS, VALUES } from '../points/refresh-pool-days.ts'
import { columnsOf, newestSnapshots, storesNetCash } from './rebuild-sums.ts'

interface Scope {
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
  const scopes = deep ? [{ dates: null, users: null, ranks: null }] : await samples(client)
  const wrong = new Set<string>()
  for (const scope of scopes)
    for (const [name, sql, values] of await comparisons(client, scope)) {
      const { rows } = await client.query(`SELECT EXISTS (${sql}) AS differ`, values)
      if (rows[0].differ) wrong.add(name)
    }
  return [...wrong]
}

async function samples(client: Queryable): Promise<Scope[]> {
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
  return [
    { dates: dates.map(({ date }) => date), users: null, ranks },
    { dates: null, users: users.map(({ user }) => user), ranks },
  ]
}

type Comparison = [name: string, sql: string, values: unknown[]]

async function comparisons(
  client: Queryable,
  { dates, users, ranks }: Scope,
): Promise<Comparison[]> {
  const all: Comparison[] = []
  const isWhole = dates === null && users === null
  if (dates !== null || isWhole) all.push(...ofDates(dates), ...ofProgram(ranks))
  if (users !== null || isWhole) {
    all.push(...ofUsers(users))
    for (const kind of ['market', 'vault'] as const) {
      const columns = await columnsOf(client, `${kind}_holding`)
      const mine = `user_address = ANY($1::text[]) OR $1 IS NULL`
      const right = `SELECT * FROM (${newestSnapshots(kind, columns)}) n WHERE ${mine}`
      all.push(
        unequal('holdings', right, `SELECT ${columns} FROM ${kind}_holding WHERE ${mine}`, users),
      )
    }
    if (await storesNetCash(client)) {
      const columns = await columnsOf(client, 'net_cash')
      const of = (table: string) =>
        `SELECT ${columns} FROM ${table} WHERE user_address = ANY($1::text[]) OR $1 IS NULL`
      all.push(unequal('net cash', of('cash_flow_total'), of('net_cash'), users))
    }
  }
  return all
}

const unequal = (name: string, right: string, stored: string, value: unknown): Comparison => [
  name,
  `(${right} EXCEPT ${stored}) UNION ALL (${stored} EXCEPT ${right})`,
  [value],
]

function ofDates(dates: string[] | null): Comparison[] {
  const onDate = (column: string) => `(${column} = ANY($1::date[]) OR $1 IS NULL)`
  const onDates = onDate('distribution_date')
  const pools = ['pool_address', 'distribution_date', ...VALUES].join(', ')
  return [
    unequal(
      'days of accounts',
      `SELECT user_address, distribution_date, sum(points_a + points_b)::bigint, count(*)::int
        FROM stored_position
       WHERE ${onDates} GROUP BY user_address, distribution_date`,
      'SELECT user_address, distribution_date, points, position_count FROM account_day WHERE ' +
        `${onDates}`,
      dates,
    ),
    unequal(
      'distributions',
      `SELECT distribution_date, sum(points)::bigint, sum(position_count)::int, count(*)::int
        FROM account_day
       WHERE ${onDates} GROUP BY 1`,
      'SELECT date, total_points, position_count, account_count FROM distribution WHERE ' +
        `${onDate('date')}`,
      dates,
    ),
    unequal(
      'days of pools',
      `SELECT ${pools} FROM (${SUMS_OF_POOLS} WHERE ${onDates} GROUP BY 1, 2) s`,
      `SELECT ${pools} FROM pool_day WHERE ${onDates}`,
      dates,
    ),
  ]
}

function ofUsers(users: string[] | null): Comparison[] {
  const mine = '(user_address = ANY($1::text[]) OR $1 IS NULL)'
  return [
    unequal(
      'days of accounts',
      `SELECT user_address, distribution_date, sum(points_a + points_b)::bigint, count(*)::int
        FROM stored_position
       WHERE ${mine} GROUP BY user_address, distribution_date`,
      'SELECT user_address, distribution_date, points, position_count FROM account_day WHERE ' +
        `${mine}`,
      users,
    ),
    unequal(
      'totals of accounts',
      `SELECT user_address, sum(points)::bigint, sum(position_count)::int, min(distribution_date),
        max(distribution_date)
       FROM account_day WHERE ${mine} GROUP BY user_address`,
      'SELECT user_address, points, position_count, first_distribution_date, ' +
        `last_distribution_date FROM account WHERE ${mine}`,
      users,
    ),
  ]
}

function ofProgram(ranks: Scope['ranks']): Comparison[] {
  const [from, to] = ranks ?? [1, 2 ** 31 - 1]
  return [
    unequal(
      'totals of pools',
      'SELECT pool_address, sum(a_points + b_points)::bigint FROM pool_day WHERE $1::text IS ' +
        'NULL GROUP BY 1',
      'SELECT pool_address, points FROM pool_total WHERE $1::text IS NULL',
      null,
    ),
    unequal(
      'totals of the program',
      `SELECT coalesce(sum(total_points), 0)::bigint, coalesce(sum(position_count), 0)::bigint,
         (SELECT count(*) FROM account) FROM distribution WHERE $1::text IS NULL`,
      'SELECT total_points::bigint, position_count::bigint, account_count::bigint FROM program ' +
        'WHERE $1::text IS NULL',
      null,
    ),
    [
      'ranks',
      `SELECT 1 FROM (SELECT rank, row_number() OVER (ORDER BY points DESC, user_address) +
        $1::int - 1 AS n FROM account
         WHERE rank BETWEEN $1 AND $2) r WHERE rank <> n`,
      [from, to],
    ],
    [
      'ranks of past dates',
      `SELECT 1 FROM (SELECT distribution_date, count(*) AS n, sum(points) AS points
        FROM rank_history
         WHERE $1 GROUP BY 1) h JOIN rank_history_date r ON r.date = h.distribution_date
       JOIN (SELECT date, sum(total_points) OVER (ORDER BY date) AS points FROM distribution) d
         ON d.date = h.distribution_date WHERE d.points <> h.points`,
      [ranks === null],
    ],
    [
      'days of vaults',
      `SELECT 1 FROM (SELECT DISTINCT ON (chain_id, vault_id) chain_id, vault_id, assets, shares
        FROM vault_day
         ORDER BY chain_id, vault_id, date DESC) d
       FULL JOIN (SELECT chain_id, vault_id, sum(assets) AS assets, sum(shares) AS shares
         FROM vault_holding GROUP BY 1, 2) h
         USING (chain_id, vault_id)
       WHERE (d.assets, d.shares) IS DISTINCT FROM (h.assets, h.shares)`,
      [],
    ],
  ]
}
