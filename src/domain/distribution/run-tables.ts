import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Writer } from '../../db/write.ts'
import { ENTRIES, RULES_KEY, rulesChanged } from '../ledger/record.ts'

// Positions whose points change. They are noted where they are stored.
const changes = new TemporaryTable('position_change', {
  user_address: ADDRESS,
  distribution_date: 'date',
  pool_key: 'int',
  run: 'int',
  run_before: 'int',
  points_before: 'bigint',
  points_after: 'bigint',
  reasons: 'int',
  /** True if the points are imported, before or after: the rules do not explain them. */
  given: 'boolean',
})

const entries = new TemporaryTable('ledger_entry', {
  user_address: ADDRESS,
  distribution_date: 'date',
  ledger: 'bytea',
})

// The days of accounts as they will be, with the new entries of their ledgers.
const days = new TemporaryTable('refreshed_day', {
  user_address: ADDRESS,
  distribution_date: 'date',
  points: 'bigint',
  position_count: 'int',
  ledger: 'bytea',
})

// The users whose totals may change.
const affected = new TemporaryTable('affected', { user_address: ADDRESS })

/** The totals of an account. */
export const TOTALS = [
  'points',
  'position_count',
  'first_distribution_date',
  'last_distribution_date',
]

const accounts = new TemporaryTable('ranked_account', {
  user_address: ADDRESS,
  points: 'bigint',
  position_count: 'int',
  first_distribution_date: 'date',
  last_distribution_date: 'date',
  rank: 'int',
})

/** The ledger of a run: entries, and the users that they are of. */
interface Counted {
  run: string
  entries: number
  users: number
}

/**
 * The variables of a write of points, as tables of its transaction: the changes that it notes, the
 * days that follow from the positions, and the accounts that follow from the days. Statements that
 * only read them name them.
 */
export class RunTables {
  readonly writer: Writer
  /** The table in which changes are noted. Undefined if the ledger gets no entries. */
  readonly changes: typeof changes | undefined
  #days: 'missing' | 'added' | 'ready' = 'missing'

  private constructor(writer: Writer, keepsLedger: boolean) {
    this.writer = writer
    this.changes = keepsLedger ? changes : undefined
  }

  static async open(writer: Writer, keepsLedger: boolean): Promise<RunTables> {
    const tables = new RunTables(writer, keepsLedger)
    await tables.changes?.create(writer)
    return tables
  }

  /** Creates the days empty, for a statement that adds them while it stores positions. */
  async startDays(): Promise<typeof days> {
    await days.create(this.writer)
    this.#days = 'added'
    return days
  }

  countDayEntries(run: string | null): Promise<void> {
    return this.#count(
      `SELECT ${run} AS run, (sum(length(ledger)) / 24)::int AS entries,
         count(DISTINCT user_address) FILTER (WHERE ledger IS NOT NULL)::int AS users
       FROM refreshed_day`,
    )
  }

  /** Sums the days of accounts on these dates, unless a statement has added them. */
  async sumDays(dates: string[]): Promise<void> {
    if (this.#days === 'ready') return
    if (this.#days === 'missing') await this.#fillDays(dates)
    await days.analyze(this.writer)
    this.#days = 'ready'
  }

  async #fillDays(dates: string[]): Promise<void> {
    const summed = `SELECT user_address, distribution_date,
        sum(points_a + points_b)::bigint AS points, count(*)::int AS position_count
      FROM stored_position WHERE distribution_date = ANY($1::date[])
      GROUP BY user_address, distribution_date`
    if (!this.changes) {
      await days.fill(this.writer, `SELECT *, NULL::bytea FROM (${summed}) d`, [dates])
      return
    }
    await this.#makeEntries()
    await days.fill(
      this.writer,
      `SELECT * FROM (${summed}) d LEFT JOIN ledger_entry USING (user_address, distribution_date)`,
      [dates],
    )
  }

  async #makeEntries(): Promise<void> {
    await changes.analyze(this.writer)
    await entries.fill(
      this.writer,
      `SELECT c.user_address, c.distribution_date, ${ENTRIES}
       FROM position_change c LEFT JOIN ${rulesChanged('position_change')} r USING (${RULES_KEY})
       GROUP BY c.user_address, c.distribution_date`,
    )
    await entries.analyze(this.writer)
    await this.#count(
      `SELECT run, count(*)::int AS entries, count(DISTINCT user_address)::int AS users
       FROM position_change GROUP BY run`,
    )
  }

  async #count(query: string): Promise<void> {
    const { rows } = await this.writer.query<Counted>(query)
    const counts = rows.filter((row) => row.entries > 0)
    if (counts.length === 0) return
    await this.writer.query(
      `UPDATE run r SET ledger_entries = e.entries, ledger_users = e.users
       FROM unnest($1::bigint[], $2::int[], $3::int[]) AS e(id, entries, users)
       WHERE r.id = e.id`,
      [
        counts.map(({ run }) => run),
        counts.map(({ entries }) => entries),
        counts.map(({ users }) => users),
      ],
    )
  }

  /** Keeps the new entries of days on these dates that have no positions. */
  async keepEntriesWithoutDay(dates: string[]): Promise<void> {
    await this.sumDays(dates)
    await this.writer.query(
      `INSERT INTO removed_day
       SELECT e.user_address, e.distribution_date, e.ledger FROM ledger_entry e
       LEFT JOIN refreshed_day s USING (user_address, distribution_date)
       WHERE s.user_address IS NULL`,
    )
  }

  /** Removes the stored days of users that have no positions on the dates any more. */
  async removeDays(users: string[], dates: string[]): Promise<void> {
    await this.#keepLedger(users, dates)
    await this.writer.query(
      `DELETE FROM account_day d USING (
         SELECT * FROM (${DAYS_OF_USERS}) stored
         EXCEPT SELECT user_address, distribution_date FROM refreshed_day OFFSET 0) gone
       WHERE d.user_address = gone.user_address AND d.distribution_date = gone.distribution_date`,
      [users, dates],
    )
  }

  // Keeps the ledger of days that are about to be removed.
  async #keepLedger(users: string[], dates: string[]): Promise<void> {
    const newEntries = this.changes ? this.writer.temporary(entries.name) : NO_ENTRIES
    await this.writer.query(
      `INSERT INTO removed_day AS t (user_address, distribution_date, ledger)
       SELECT d.user_address, d.distribution_date,
         coalesce(d.ledger || e.ledger, d.ledger, e.ledger)
       FROM (${LEDGERS_OF_USERS}) d
       LEFT JOIN ${newEntries} e USING (user_address, distribution_date)
       LEFT JOIN ${this.writer.temporary(days.name)} s USING (user_address, distribution_date)
       WHERE s.user_address IS NULL AND coalesce(d.ledger, e.ledger) IS NOT NULL
       ON CONFLICT (user_address, distribution_date)
       DO UPDATE SET ledger = t.ledger || excluded.ledger`,
      [users, dates],
    )
  }

  storeDays(): Promise<number> {
    return this.writer.merge({
      into: 'account_day',
      key: ['user_address', 'distribution_date'],
      values: ['points', 'position_count'],
      appended: ['ledger'],
      from: '(SELECT * FROM refreshed_day ORDER BY user_address, distribution_date)',
    })
  }

  /** Finds the users whose totals may change: those of the days, and of removed positions. */
  async findAffected(removed: string[]): Promise<void> {
    await affected.fill(
      this.writer,
      'SELECT user_address FROM refreshed_day UNION SELECT unnest($1::text[])',
      [removed],
    )
    await affected.analyze(this.writer)
  }

  /**
   * Ranks all accounts.
   * @param totals a query of the users whose totals change: `user_address` and TOTALS
   */
  async rankAccounts(totals: string, values?: unknown[]): Promise<void> {
    await accounts.fill(
      this.writer,
      `SELECT *, row_number() OVER (ORDER BY points DESC, user_address)::int FROM (${totals}) a`,
      values,
    )
    await accounts.analyze(this.writer)
  }

  /**
   * Stores the ranked accounts and the totals of the program.
   * @param former a query of the users who had an account before. Without it, none can have lost it
   * @returns how many rows were wrong
   */
  async storeAccounts(former?: string): Promise<number> {
    const removed = former ? await this.#removeAccounts(former) : 0
    const stored = await this.writer.merge({
      into: 'account',
      key: ['user_address'],
      values: [...TOTALS, 'rank'],
      from: 'ranked_account',
    })
    return removed + stored + (await this.#storeProgram())
  }

  async #storeProgram(): Promise<number> {
    const { rows } = await this.writer.query<{ changed: boolean }>(
      `UPDATE program p
       SET total_points = d.points, position_count = d.positions, account_count = d.accounts
       FROM (SELECT * FROM program) o, (
         SELECT coalesce(sum(total_points), 0)::bigint AS points,
           coalesce(sum(position_count), 0) AS positions,
           (SELECT count(*) FROM ranked_account)::int AS accounts
         FROM distribution OFFSET 0) d
       RETURNING (o.total_points, o.position_count, o.account_count)
         IS DISTINCT FROM (d.points, d.positions, d.accounts) AS changed`,
    )
    return rows.filter(({ changed }) => changed).length
  }

  async #removeAccounts(former: string): Promise<number> {
    const { rows } = await this.writer.query<{ user: string }>(
      `SELECT user_address AS user FROM (${former}) f
       EXCEPT SELECT user_address FROM ranked_account`,
    )
    if (rows.length === 0) return 0
    await this.writer.query('DELETE FROM account WHERE user_address = ANY($1::text[])', [
      rows.map(({ user }) => user),
    ])
    return rows.length
  }
}

const OF_USERS = 'user_address = ANY($1::text[]) AND distribution_date = ANY($2::date[])'

const DAYS_OF_USERS = `SELECT user_address, distribution_date FROM account_day
  WHERE ${OF_USERS} OFFSET 0`

const LEDGERS_OF_USERS = `SELECT user_address, distribution_date, ledger FROM account_day
  WHERE ${OF_USERS} OFFSET 0`

const NO_ENTRIES = `(SELECT NULL::text AS user_address, NULL::date AS distribution_date,
    NULL::bytea AS ledger)`
