import { exact, toDouble } from '../../db/exact-sum.ts'
import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Writer } from '../../db/write.ts'
import type { EntityType } from './place.ts'

const VALUES = ['worth_usd', 'debt_usd']

// The users whose holdings change. A user may be there more than once.
const changed = new TemporaryTable('changed_worth', { user_address: ADDRESS })

const refreshed = new TemporaryTable('refreshed_worth', {
  user_address: ADDRESS,
  worth_usd: 'float8',
  debt_usd: 'float8',
})

// Most amounts are 0, which needs no exact decimal. An unknown price counts as 0.
const usd = (column: string) => `CASE WHEN s.${column} <> 0 THEN ${exact(`s.${column}`)} ELSE 0 END`

/**
 * Selects what users are worth, as `worth` of a user is, and their debt, of those for whom one of
 * both is not 0.
 * @param from the FROM item with the holdings `s` of a kind
 */
export const worthRows = (from: (kind: EntityType) => string): string =>
  `SELECT * FROM (
    SELECT user_address, ${toDouble('sum(supply - debt)')} AS worth_usd,
      ${toDouble('sum(debt)')} AS debt_usd
    FROM (
      SELECT s.user_address, ${usd('collateral_usd')} + ${usd('protected_usd')} AS supply,
        ${usd('debt_usd')} AS debt FROM ${from('market')}
      UNION ALL
      SELECT s.user_address, ${usd('assets_usd')}, 0 FROM ${from('vault')}) h
    GROUP BY user_address) w
  WHERE worth_usd <> 0 OR debt_usd <> 0`

/** The users of a transaction whose holdings change, and the refresh of what they are worth. */
export class ChangedWorths {
  readonly #writer: Writer
  #isCreated = false

  constructor(writer: Writer) {
    this.#writer = writer
  }

  /** @param users a SELECT of their addresses */
  async note(users: string): Promise<void> {
    if (!this.#isCreated) await changed.create(this.#writer)
    this.#isCreated = true
    await changed.insert(this.#writer, users)
  }

  /** Refreshes the noted users. Rows that are up to date are not written. */
  async refresh(): Promise<void> {
    if (!this.#isCreated) return
    const writer = this.#writer
    await changed.analyze(writer)
    const users = `(SELECT DISTINCT user_address FROM ${changed.name} OFFSET 0) c`
    await refreshed.fill(
      writer,
      worthRows((kind) => `${kind}_holding s JOIN ${users} USING (user_address)`),
    )
    await writer.merge({
      into: 'user_worth',
      key: ['user_address'],
      values: VALUES,
      from: writer.temporary(refreshed.name),
    })
    const { rows: gone } = await writer.query<{ user: string }>(
      `SELECT user_address AS user FROM ${writer.temporary(changed.name)} c
       JOIN user_worth w USING (user_address)
       EXCEPT SELECT user_address FROM ${writer.temporary(refreshed.name)} r`,
    )
    if (gone.length > 0)
      await writer.query('DELETE FROM user_worth WHERE user_address = ANY($1)', [
        gone.map(({ user }) => user),
      ])
    for (const table of [changed, refreshed]) await table.drop(writer)
    this.#isCreated = false
  }
}
