import { finished } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Writer } from '../../db/write.ts'
import type { DatasetFile } from '../../sources/index.ts'
import type { Chunk } from './chunk.ts'
import { type Conflict, findConflicts } from './conflicts.ts'
import {
  columnOf,
  keyColumns,
  type RecordFormat,
  records,
  storedColumns,
  tableKeyColumns,
} from './records.ts'

/** A staged record whose id belongs to another record. */
export interface Clash {
  line: number
  id: string
}

// The digest by which lines are compared. Equal digests stand for equal texts.
const DIGESTS = { key_digest: ADDRESS, values_digest: ADDRESS, line: 'bigint' }

const lines = new TemporaryTable('line_digest', DIGESTS)

/**
 * The records of a file that wait to be stored, as the table `staged`, with the file's fields as
 * columns. It has no key, so that COPY is all that a chunk costs.
 */
export class Staging {
  readonly writer: Writer
  readonly format: RecordFormat
  readonly #table: TemporaryTable<string>
  #hasLines = false

  private constructor(writer: Writer, file: DatasetFile) {
    this.writer = writer
    this.format = records[file]
    const fields = Object.values(this.format.fields)
    const types = Object.fromEntries(fields.map(({ column, sql }) => [column, sql]))
    this.#table = new TemporaryTable('staged', { ...types, ...DIGESTS })
  }

  static async open(writer: Writer, file: DatasetFile): Promise<Staging> {
    const staging = new Staging(writer, file)
    await staging.#table.create(writer)
    return staging
  }

  async copy(chunk: Chunk): Promise<void> {
    const copy = this.writer.query(copyFrom('COPY staged FROM STDIN'))
    copy.end(chunk.toBuffer())
    await finished(copy)
  }

  /** Stages the stored records of a date, in place of those of a file. */
  async copyStored(day: string): Promise<number> {
    const { dated = '', table } = this.format
    const columns = storedColumns(this.format).join(', ')
    const { rowCount } = await this.writer.query(
      `INSERT INTO staged (${columns})
       SELECT ${columns} FROM ${table} WHERE ${columnOf(this.format, dated)} = $1`,
      [day],
    )
    return rowCount ?? 0
  }

  /** Keeps one of the equal records of each key, as an upsert cannot replace a row twice. */
  async keepLast(): Promise<void> {
    await this.writer.query(
      `DELETE FROM staged
       WHERE line NOT IN (SELECT max(line) FROM staged GROUP BY ${this.#key()})`,
    )
  }

  /**
   * Keeps one record of each key, in key order, so that inserts go to neighbouring index pages.
   * @param count the number of staged records
   * @returns a record with the key of an earlier one, but other values
   */
  async sort(count: number): Promise<Conflict | undefined> {
    const key = this.#key()
    await this.writer.query('ALTER TABLE staged RENAME TO arrived')
    const kept = await this.#table.fill(
      this.writer,
      `SELECT DISTINCT ON (${key}) * FROM arrived ORDER BY ${key}, line DESC`,
    )
    const { conflicts } =
      kept === count ? { conflicts: [] } : await findConflicts(this.writer, 'arrived')
    await this.writer.query('DROP TABLE arrived')
    // Statistics of all columns would take longer than sorting.
    await this.writer.query(`ANALYZE staged (${key})`)
    return conflicts[0]
  }

  /** Keeps the lines of a chunk, whose keys may recur in another one. */
  async keepLines(): Promise<void> {
    if (!this.#hasLines) await lines.create(this.writer)
    this.#hasLines = true
    await lines.insert(this.writer, 'SELECT key_digest, values_digest, line FROM staged')
  }

  /** Finds the first conflicts among the lines that were kept, and the number of all. */
  async conflicts(): Promise<{ conflicts: Conflict[]; count: number }> {
    return this.#hasLines ? findConflicts(this.writer, lines.name) : { conflicts: [], count: 0 }
  }

  /** Finds the records whose id belongs to another key, here or in the store. */
  async clashes(): Promise<Clash[]> {
    const { table, unique } = this.format
    if (!unique) return []
    const key = tableKeyColumns(this.format)
    const keyOf = (row: string) => `(${key.map((column) => `${row}.${column}`).join(', ')})`
    const { rows } = await this.writer.query<Clash>(
      `SELECT s.line::int, s.${unique} AS id
       FROM ${this.writer.temporary('staged')} s JOIN ${table} t USING (${unique})
       WHERE ${keyOf('t')} <> ${keyOf('s')}
       UNION
       SELECT line::int, ${unique} FROM (
         SELECT line, ${unique}, row_number() OVER (PARTITION BY ${unique} ORDER BY line) AS nth
         FROM staged WHERE ${unique} IS NOT NULL) shared
       WHERE nth > 1
       ORDER BY 1`,
    )
    return rows
  }

  async clear(): Promise<void> {
    await this.writer.query('TRUNCATE staged')
  }

  async drop(): Promise<void> {
    await this.#table.drop(this.writer)
    if (this.#hasLines) await lines.drop(this.writer)
    this.#hasLines = false
  }

  #key(): string {
    return keyColumns(this.format).join(', ')
  }
}
