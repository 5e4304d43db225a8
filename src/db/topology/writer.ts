import type pg from 'pg'
import { GatewayError } from '../../errors.ts'
import type { Queryable } from '../connect/protocol.ts'
import { LOCK_NOT_AVAILABLE, LOCKS } from '../locks.ts'
import { topologyOf } from './find-topology.ts'
import type { Merge, Topology } from './topology.ts'

/** Receives each statement before it is sent. */
export type OnStatement = (text: string, values: readonly unknown[]) => void

/**
 * A transaction that writes to the store. Domain code writes through it alone, and does not know on
 * which servers the rows are.
 */
export class Writer implements Queryable {
  readonly query: pg.ClientBase['query']
  /**
   * True if the rows of users are on other servers. A statement then cannot write them together
   * with a temporary table, and users and holdings have no triggers.
   */
  readonly usersAreRemote: boolean
  readonly #topology: Topology

  private constructor(client: Queryable, topology: Topology, onStatement?: OnStatement) {
    this.#topology = topology
    this.usersAreRemote = topology.choose({ usual: false, ifSpread: true })
    this.query = recorded(client, onStatement)
  }

  static async open(client: Queryable, onStatement?: OnStatement): Promise<Writer> {
    const topology = await topologyOf(client)
    if (topology.writing) await client.query(topology.writing)
    return new Writer(client, topology, onStatement)
  }

  /**
   * Takes the writers' lock until the end of the transaction. Writers run one at a time, so that no
   * run reads totals that another is changing.
   * @throws UNAVAILABLE if the lock is not available within the session's lock_timeout
   */
  async lock(): Promise<void> {
    try {
      await this.query('SELECT pg_advisory_xact_lock($1)', [LOCKS.writers])
      await this.#topology.announce(this)
    } catch (error) {
      if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error
      throw new GatewayError(
        'UNAVAILABLE',
        'Another import, run or change of multipliers is still writing to the store. Nothing ' +
          'was changed; try again when it has finished.',
      )
    }
  }

  /** Adds the rows that are missing, and changes those that differ. @returns how many did */
  async merge(merge: Merge): Promise<number> {
    const sql = this.#topology.merge(merge)
    // Remote servers also count the equal rows, but do not return them.
    const { rowCount } = await this.query(this.usersAreRemote ? `${sql} RETURNING true` : sql)
    return rowCount ?? 0
  }

  mergeSql(merge: Merge): string {
    return this.#topology.merge(merge)
  }

  temporary(table: string): string {
    return this.#topology.temporary(table)
  }

  /** Refreshes the statistics of stored tables, unless their servers do that themselves. */
  analyze(tables: Iterable<string>): Promise<void> {
    return this.#topology.analyze(this, tables)
  }
}

function recorded(client: Queryable, onStatement?: OnStatement): pg.ClientBase['query'] {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const recording = (...args: unknown[]) => {
    const [statement, values = []] = args
    if (typeof statement === 'string') onStatement?.(statement, values as unknown[])
    return query(...args)
  }
  return (onStatement ? recording : query) as pg.ClientBase['query']
}
