import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Queryable } from '../../db/write.ts'
import { type CopiedRules, type CopiedSeason, OF_SETTINGS } from '../../sources/index.ts'
import { isoDay } from '../../time.ts'
import { BASE, FACTOR_COLUMNS, inForce } from '../multiplier/rule.ts'
import type { BasePoints } from '../points/formula.ts'
import { replaceSeasons } from '../season/change-seasons.ts'

/** The actor in seasons that a copy has brought. */
export const COPIED = 'import'

// The parts of a revision that never change.
const REVISION = { id: 'bigint', changed_at: 'timestamptz', changed_by: 'text', from_date: 'date' }

const HISTORIES = {
  'multiplier-revisions': {
    name: 'multipliers',
    table: 'multiplier_revision',
    columns: {
      ...REVISION,
      pool_address: ADDRESS,
      ...Object.fromEntries(FACTOR_COLUMNS.map((column) => [column, 'float8'])),
    },
  },
  'base-points-revisions': {
    name: 'base points',
    table: 'base_points_revision',
    columns: { ...REVISION, ...Object.fromEntries(BASE.map((column) => [column, 'float8'])) },
  },
} as const

export type HistoryFile = keyof typeof HISTORIES

export const isHistory = (file: string): file is HistoryFile => file in HISTORIES

/** The name of what the revisions of a file determine. */
export const historyName = (file: HistoryFile): string => HISTORIES[file].name

/**
 * Stores the history of the gateway that is copied, if it has all revisions of the store. Otherwise
 * the store has other rules, and its history stays as it is.
 * @param load loads the file into its table. @returns its number of records
 * @returns false if the store has other rules
 */
export async function followHistory(
  client: Queryable,
  file: HistoryFile,
  load: () => Promise<number>,
): Promise<boolean> {
  const { table, columns } = HISTORIES[file]
  const former = new TemporaryTable<string>('own_revision', columns)
  const own = `SELECT ${former.columns.join(', ')} FROM ${table} WHERE id <> ${OF_SETTINGS}`
  await client.query('SAVEPOINT following')
  await former.fill(client, own)
  const records = await load()
  const { rows } = await client.query<{ follows: boolean }>(
    `SELECT (SELECT count(*) FROM (${own}) r) = $1
       AND NOT EXISTS (SELECT * FROM own_revision EXCEPT ${own}) AS follows`,
    [records],
  )
  const follows = rows[0]?.follows === true
  if (follows) {
    await former.drop(client)
    await client.query('RELEASE SAVEPOINT following')
  } else await client.query('ROLLBACK TO SAVEPOINT following')
  return follows
}

/**
 * Stores the base points of the settings of the gateway that is copied as a revision, if they
 * differ from those of this one.
 * @returns true if something changed
 */
export async function followSettings(
  client: Queryable,
  { basePoints }: CopiedRules,
  own: BasePoints,
): Promise<boolean> {
  const { settings } = basePoints ?? {}
  const differ = settings && (settings.deposit !== own.deposit || settings.borrow !== own.borrow)
  const { rowCount } = differ
    ? await client.query(
        `INSERT INTO base_points_revision AS t (id, deposit, borrow, changed_by)
         VALUES (${OF_SETTINGS}, $1, $2, '${COPIED}')
         ON CONFLICT (id) DO UPDATE SET deposit = excluded.deposit, borrow = excluded.borrow
           WHERE (t.deposit, t.borrow) <> (excluded.deposit, excluded.borrow)`,
        [settings.deposit, settings.borrow],
      )
    : await client.query(`DELETE FROM base_points_revision WHERE id = ${OF_SETTINGS}`)
  return rowCount !== 0
}

/** Removes the multipliers that the copied history has removed. @returns true if there were some */
export async function removeMultipliers(client: Queryable, today: string): Promise<boolean> {
  await client.query("SET LOCAL gateway.settling = 'on'")
  const { rowCount } = await client.query(
    `DELETE FROM multiplier m USING multiplier_rule r
     WHERE r.pool_address = m.pool_address AND ${inForce('r', '$1::date')}
       AND r.deposit_token_a IS NULL`,
    [today],
  )
  await client.query("SET LOCAL gateway.settling = 'off'")
  return rowCount !== 0
}

interface FollowedSeasons {
  own: boolean
  changed: boolean
  warnings: string[]
}

/**
 * Makes the stored seasons those of the gateway that is copied, with the times at which its boards
 * became final. The caller's transaction has the writers' lock, and has stored the points.
 * @throws CONFLICT for a change of a season whose board is final, unless `reopen`
 */
export async function followSeasons(
  client: Queryable,
  seasons: CopiedSeason[],
  { now, reopen, source }: { now: Date; reopen: boolean; source: string },
): Promise<FollowedSeasons> {
  const { rows: stored } = await client.query<CopiedSeason & { changedBy: string }>(
    'SELECT name, starts_at::text AS "startsAt", ends_at::text AS "endsAt", changed_by AS ' +
      '"changedBy" FROM season',
  )
  const dates = ({ name, startsAt, endsAt }: CopiedSeason) =>
    JSON.stringify([name, startsAt, endsAt])
  const differ = stored.map(dates).sort().join() !== seasons.map(dates).sort().join()
  if (differ && stored.some(({ changedBy }) => changedBy !== COPIED))
    return { own: true, changed: false, warnings: [] }
  const closed = await replaceSeasons(client, () => seasons, {
    today: isoDay(now),
    requestedBy: COPIED,
    reopen,
  })
  const warnings: string[] = []
  for (const { name, digest, closedAt } of seasons.filter((season) =>
    closed.includes(season.name),
  )) {
    if (digest === null) continue
    const { rowCount } = await client.query(
      'UPDATE season SET closed_at = $2 WHERE name = $1 AND digest = $3',
      [name, closedAt, digest],
    )
    if (rowCount === 0) warnings.push(`The final board of ${name} differs from that of ${source}.`)
  }
  return { own: false, changed: differ || closed.length > 0, warnings }
}
