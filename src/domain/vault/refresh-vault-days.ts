import { exact } from '../../db/exact-sum.ts'
import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Writer } from '../../db/write.ts'
import { LAST_SECOND } from '../../time.ts'

/**
 * SQL of the day (UTC) of a time in Unix seconds. Times that no calendar has are on the last day.
 */
export const dayOf = (seconds: string) =>
  `date '1970-01-01' + (least(${seconds}, ${LAST_SECOND}) / 86400)::int`

const KEY = { chain_id: 'bigint', vault_id: ADDRESS }
const TOTALS = {
  assets: 'numeric',
  shares: 'numeric',
  assets_usd: 'numeric',
  unpriced: 'bigint',
  user_count: 'bigint',
}
const VALUES = Object.keys(TOTALS)

// The vaults whose snapshots change, each from a day on. A vault may be there more than once.
const changed = new TemporaryTable('changed_vault', { ...KEY, since: 'date' })

// The first changed day of each of them, with the totals of the day before.
const first = new TemporaryTable('vault_since', { ...KEY, since: 'date', ...TOTALS })

const changes = new TemporaryTable('refreshed_vault_day', { ...KEY, date: 'date', ...TOTALS })

/** The vaults of a transaction whose snapshots change, and the refresh of their days. */
export class ChangedVaults {
  readonly #writer: Writer
  #isCreated = false

  constructor(writer: Writer) {
    this.#writer = writer
  }

  noteStaged(): Promise<void> {
    return this.#note(
      `SELECT chain_id, vault_id, ${dayOf('min(timestamp)')} FROM staged GROUP BY 1, 2`,
    )
  }

  notePriced(): Promise<void> {
    return this.#note(
      `SELECT v.chain_id, v.id, min(c.date)
       FROM vault v JOIN (SELECT * FROM changed_price OFFSET 0) c USING (chain_id, asset_address)
       GROUP BY 1, 2`,
    )
  }

  noteAll(): Promise<void> {
    return this.#note(
      `SELECT chain_id, vault_id, date '1970-01-01' FROM vault_snapshot GROUP BY 1, 2`,
    )
  }

  async #note(vaults: string): Promise<void> {
    if (!this.#isCreated) await changed.create(this.#writer)
    this.#isCreated = true
    await changed.insert(this.#writer, vaults)
  }

  /**
   * Refreshes the totals of noted vaults: those of the day before, plus what each later snapshot
   * changes. Rows that are up to date are not written. Its cost is that of the snapshots since the
   * first changed day; remote servers add up all of the vaults.
   */
  async refresh(): Promise<void> {
    if (!this.#isCreated) return
    const writer = this.#writer
    await first.fill(
      writer,
      `SELECT c.*, ${each((value) => `b.${value}`)}
       FROM (
         SELECT chain_id, vault_id, ${writer.usersAreRemote ? BEGINNING : 'min(since)'} AS since
         FROM changed_vault GROUP BY 1, 2) c
       LEFT JOIN LATERAL (
         SELECT * FROM vault_day b
         WHERE b.chain_id = c.chain_id AND b.vault_id = c.vault_id AND b.date < c.since
         ORDER BY b.date DESC LIMIT 1) b ON true`,
    )
    await first.analyze(writer)
    await changes.fill(writer, changesOf(writer))
    await writer.merge({
      into: 'vault_day',
      key: [...Object.keys(KEY), 'date'],
      values: VALUES,
      from: TOTALS_OF_DAYS,
    })
    for (const table of [changed, first, changes]) await table.drop(writer)
    this.#isCreated = false
  }
}

const BEGINNING = `date '1970-01-01'`

const each = (sql: (value: string) => string) =>
  VALUES.map((value) => `${sql(value)} AS ${value}`).join(', ')

// The sums of the rows `s` of a user in a vault at one moment.
const LEVEL = `sum(s.assets) AS assets, sum(s.shares) AS shares,
    coalesce(sum(${exact('s.assets_usd')}), 0) AS assets_usd,
    (count(*) FILTER (WHERE s.assets_usd IS NULL AND s.assets <> 0))::int AS unpriced,
    (sum(s.assets) + sum(s.shares) > 0)::int AS user_count`

// The holdings of each user in a noted vault, at each snapshot since the first changed day.
const levels = (writer: Writer) => `SELECT s.user_address, s.chain_id, s.vault_id, s.timestamp,
    ${LEVEL}
  FROM vault_snapshot s JOIN ${writer.temporary('vault_since')} c USING (chain_id, vault_id)
  WHERE s.timestamp >= (c.since - ${BEGINNING})::bigint * 86400 GROUP BY 1, 2, 3, 4`

// The holdings of these users before that day.
const BEFORE = `SELECT k.user_address, k.chain_id, k.vault_id, p.*
  FROM (
    SELECT DISTINCT user_address, chain_id, vault_id, c.since
    FROM level JOIN vault_since c USING (chain_id, vault_id)
    WHERE c.assets IS NOT NULL) k
  CROSS JOIN LATERAL (
    SELECT s.timestamp, ${LEVEL}
    FROM (
      SELECT * FROM vault_snapshot p
      WHERE p.user_address = k.user_address AND p.chain_id = k.chain_id
        AND p.vault_id = k.vault_id AND p.timestamp < (k.since - ${BEGINNING})::bigint * 86400
      ORDER BY p.chain_id DESC, p.vault_id DESC, p.timestamp DESC
      FETCH FIRST ROW WITH TIES) s
    GROUP BY 1) p`

// The differences of consecutive levels, by day.
const changesIn = (query: string) => `SELECT chain_id, vault_id, ${dayOf('timestamp')} AS date,
    ${each((value) => `sum(${value})`)}
  FROM (
    SELECT chain_id, vault_id, timestamp,
      ${each((value) => `${value} - coalesce(lag(${value}) OVER w, 0)`)}
    FROM (${query}) l
    WINDOW w AS (PARTITION BY user_address, chain_id, vault_id ORDER BY timestamp)) s
  GROUP BY 1, 2, 3`

// Remote servers have all levels: the first changed day is then the first of all.
const changesOf = (writer: Writer) =>
  writer.usersAreRemote
    ? changesIn(levels(writer))
    : `WITH level AS MATERIALIZED (${levels(writer)})
       ${changesIn(`SELECT * FROM level UNION ALL ${BEFORE}`)}`

// The totals of each day: those before the first changed one, and all changes up to it.
const TOTALS_OF_DAYS = `(
  SELECT d.chain_id, d.vault_id, d.date,
    ${each((value) => `coalesce(b.${value}, 0) + sum(d.${value}) OVER w`)}
  FROM refreshed_vault_day d JOIN vault_since b USING (chain_id, vault_id)
  WHERE d.date >= b.since
  WINDOW w AS (PARTITION BY d.chain_id, d.vault_id ORDER BY d.date))`
