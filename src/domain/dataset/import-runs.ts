import { TemporaryTable } from '../../db/temporary-table.ts'
import type { Writer } from '../../db/write.ts'
import type { RunTables } from '../distribution/run-tables.ts'

const datesRuns = new TemporaryTable('staged_run', {
  distribution_date: 'date PRIMARY KEY',
  run_id: 'bigint',
})

const ownRuns = new TemporaryTable('imported_run', {
  id: 'bigint PRIMARY KEY',
  date: 'date',
  succeeded: 'boolean',
})

/** The runs of an import: those that it makes for its dates, and those that the dataset brings. */
export class ImportRuns {
  readonly #writer: Writer

  private constructor(writer: Writer) {
    this.#writer = writer
  }

  static async open(writer: Writer): Promise<ImportRuns> {
    await datesRuns.create(writer)
    await ownRuns.create(writer)
    return new ImportRuns(writer)
  }

  /** The runs of the dataset replace those of the store, which are of failed attempts. */
  async replaceStored(): Promise<void> {
    await this.#writer.query('DELETE FROM run')
  }

  async adopt(): Promise<void> {
    await ownRuns.insert(this.#writer, `SELECT id, date, status = 'succeeded' FROM run`)
  }

  /** True if the dataset has runs, which are on record in place of one of this import. */
  async areAdopted(): Promise<boolean> {
    const { rowCount } = await this.#writer.query('SELECT FROM imported_run LIMIT 1')
    return (rowCount ?? 0) > 0
  }

  /**
   * Numbers the runs of staged dates. A date that the dataset has a run of needs no other. The
   * numbers are those that come next: `take` takes them when the runs are recorded, so an import
   * that fails, or that changes nothing, leaves no gap.
   */
  async number(): Promise<void> {
    await datesRuns.insert(
      this.#writer,
      `SELECT distribution_date, row_number() OVER (ORDER BY distribution_date)
         + coalesce((SELECT max(run_id) FROM staged_run), pg_sequence_last_value('run_id_seq'), 0)
       FROM (SELECT DISTINCT distribution_date FROM staged) s
       WHERE NOT EXISTS (
           SELECT FROM imported_run i WHERE i.date = s.distribution_date AND i.succeeded)
         AND NOT EXISTS (
           SELECT FROM staged_run r WHERE r.distribution_date = s.distribution_date)`,
    )
  }

  /**
   * Takes the numbers of the runs of changed dates. Positions that were stored with another number,
   * because a run was recorded meanwhile or a date before has not changed, get the right one.
   * @returns null for a date whose run is recorded already
   */
  async take(dates: string[], { changes }: RunTables): Promise<(string | null)[]> {
    const { rows } = await this.#writer.query<{ date: string; expected: string; id: string }>(
      `SELECT distribution_date::text AS date, run_id AS expected, nextval('run_id_seq') AS id
       FROM (SELECT * FROM staged_run WHERE distribution_date = ANY($1::date[])
         ORDER BY run_id OFFSET 0) r`,
      [dates],
    )
    for (const { date, expected, id } of rows.filter((row) => row.id !== row.expected)) {
      const values = [id, date, expected]
      await this.#writer.query(
        `UPDATE stored_position SET run_id = $1
         WHERE distribution_date = $2 AND run_id = $3`,
        values,
      )
      if (changes)
        await this.#writer.query(
          'UPDATE position_change SET run = $1 WHERE distribution_date = $2 AND run = $3',
          values,
        )
    }
    const ids = new Map(rows.map(({ date, id }) => [date, id]))
    return dates.map((date) => ids.get(date) ?? null)
  }

  /** Credits distributions to the dataset's run of their date that finished last. */
  async restoreDistributions(): Promise<void> {
    // The rows come here first: remote servers join no temporary table.
    const { rows } = await this.#writer.query<{ runs: string }>(
      `SELECT coalesce(json_agg(r), '[]')::text AS runs FROM (
         SELECT DISTINCT ON (r.date) r.date, r.kind, r.started_at, r.finished_at, r.id
         FROM run r JOIN imported_run i USING (id)
         WHERE i.succeeded ORDER BY r.date, r.finished_at DESC, r.id DESC) r`,
    )
    await this.#writer.query(
      `UPDATE distribution d SET kind = r.kind, started_at = r.started_at,
         finished_at = r.finished_at, run_id = r.id
       FROM json_to_recordset($1) AS r(date date, kind distribution_kind,
         started_at timestamptz, finished_at timestamptz, id bigint)
       WHERE d.date = r.date`,
      [rows[0]?.runs],
    )
  }
}
