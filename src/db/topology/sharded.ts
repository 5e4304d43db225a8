import { LRUCache } from 'lru-cache'
import type { Statement } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Answering, Forms } from '../dialect.ts'
import { isUnsupported } from '../faults.ts'
import { RowsOfUsers, replaceMarks, USER_KEY, type UserTable } from '../marks.ts'
import { changes, differs } from './merge.ts'
import type { Merge, Topology } from './topology.ts'

// The number of statements whose answer to `answers` is cached.
const MAX_STATEMENTS = 500

/**
 * The rows of users are spread over the workers of a Citus cluster, all rows of a user on one of
 * them.
 */
export class Sharded implements Topology {
  /**
   * Citus keeps one connection of a session to each worker, and would open and close more for each
   * statement.
   */
  readonly session = { 'citus.max_adaptive_executor_pool_size': 1 }
  /**
   * In one transaction Citus cannot run a statement on the coordinator itself and then one that it
   * cannot run there.
   */
  readonly begin =
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL citus.enable_local_execution = off'
  /** In lateral joins, Citus applies LIMIT and count to each shard, not to all together. */
  readonly withoutLateral = true
  readonly #answers = new LRUCache<string, boolean>({ max: MAX_STATEMENTS })

  /**
   * To read what the transaction has written, Citus needs one connection to each of its workers.
   */
  readonly writing = `SET LOCAL citus.multi_shard_modify_mode = 'sequential';
    SET LOCAL citus.max_adaptive_executor_pool_size = 1;`

  choose<T>({ ifSpread }: Forms<T>): T {
    return ifSpread
  }

  write(sql: Prisma.Sql): Prisma.Sql {
    return replaceMarks(sql, (mark) =>
      mark instanceof RowsOfUsers ? rowsFirst(mark) : mark.ifSpread,
    )
  }

  /** True for a statement that goes to one server. */
  async answers(reader: Answering, sql: Prisma.Sql): Promise<boolean> {
    return this.#answersQuery(reader, this.write(sql))
  }

  async #answersQuery(reader: Answering, query: Statement): Promise<boolean> {
    const cached = this.#answers.get(query.text)
    if (cached !== undefined) return cached
    const plan = await reader.explain(query)
    const answers = plan !== undefined && taskCounts(plan).every((count) => count === 1)
    this.#answers.set(query.text, answers)
    return answers
  }

  async textRows(reader: Answering, query: Statement, isList: boolean) {
    const isRight = isList
      ? this.#answers.get(query.text) !== false
      : await this.#answersQuery(reader, query)
    if (!isRight) return undefined
    return reader.textRows(query).catch((error) => {
      if (!isUnsupported(error)) throw error
      this.#answers.set(query.text, false)
      return undefined
    })
  }

  /** Citus sends a temporary table to the workers only as a separate subquery. */
  temporary(table: string): string {
    return `(SELECT * FROM ${table} OFFSET 0)`
  }

  /** Citus has no MERGE into tables that each server has a copy of. */
  merge({ into, key, values, appended = [], from }: Merge): string {
    const columns = [...key, ...values, ...appended]
    const of = (row: string, some: string[]) => some.map((column) => `${row}.${column}`).join(', ')
    return `INSERT INTO ${into} AS t (${columns.join(', ')})
      SELECT ${of('s', columns)} FROM ${from} s
      ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changes('excluded', values, appended)}
      WHERE ${differs(of('t', values), of('excluded', values), 'excluded', appended)}`
  }

  async announce(client: Parameters<Topology['announce']>[0]): Promise<void> {
    await client.query('SELECT data_changed()')
  }

  /** Each server does that: Citus cannot in a transaction that has read a reference table. */
  async analyze(): Promise<void> {}
}

// Sends the rows of several users to one server first, where the statement then runs as on one
// Postgres: CTEs with the names of the tables. A statement about one user needs none.
function rowsFirst({ users, tables }: RowsOfUsers): Prisma.Sql {
  if (users.length === 1 || tables.length === 0) return Prisma.empty
  return Prisma.sql`WITH ${Prisma.join(
    tables.map((table) => rowsOf(table, users)),
    ', ',
  )}`
}

function rowsOf(table: UserTable, users: readonly string[]): Prisma.Sql {
  const rows = Prisma.raw(`SELECT * FROM ${table} WHERE ${USER_KEY}`)
  return Prisma.sql`${Prisma.raw(table)} AS MATERIALIZED (${rows} = ANY(${users}::text[]))`
}

function taskCounts(plan: unknown): number[] {
  if (typeof plan !== 'object' || plan === null) return []
  return Object.entries(plan).flatMap(([name, value]) =>
    name === 'Task Count' ? [value] : taskCounts(value),
  )
}
