import { type RowOf, sqlColumns } from 'pothos-sql'
import type { Reader } from '../../db/connect/reader.ts'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { LAST_SECOND } from '../../time.ts'
import { type Groups, type Holder, holdings, readGroups, total } from './holding.ts'

const usd = (sql: string, description: string) =>
  ({ sql: toDouble(sql), type: 'float', description }) as const
const of = (type: string, value: string) =>
  `coalesce(sum(${exact(value)}) FILTER (WHERE t.entity_type = '${type}'), 0)`

/** The columns over `worthFrom`. The first is null if no snapshot is stored. */
export const worthColumns = sqlColumns({
  time: {
    sql: `to_timestamp(CASE WHEN max(t.timestamp) > ${LAST_SECOND} THEN ${LAST_SECOND}
      ELSE max(t.timestamp) END)`,
    type: 'moment',
    description: 'The time of the newest of the snapshots.',
  },
  netUsd: usd(
    total('t.value_usd'),
    'Net worth, in USD: `suppliedUsd + protectedUsd + vaultsUsd - borrowedUsd`. It equals ' +
      '`worthUsd` of the earnings.',
  ),
  suppliedUsd: usd(of('market', 't.deposit_usd'), 'Borrowable supply in markets, in USD.'),
  protectedUsd: usd(
    total('t.protected_usd'),
    'Protected (non-borrowable) supply in markets, in USD.',
  ),
  borrowedUsd: usd(total('t.debt_usd'), 'Amount borrowed from markets, in USD.'),
  vaultsUsd: usd(of('vault', 't.value_usd'), 'Assets in vaults, in USD.'),
  hasIncompletePrices: {
    sql: 'coalesce(bool_or(t.unpriced), false)',
    type: 'boolean',
    description: 'True if an amount other than 0 had no price: it counts as 0.',
  },
})

export type Worth = RowOf<typeof worthColumns>

/**
 * Selects the sums of holdings `h` in an entity. They are rounded here, as they are displayed, like
 * the values of earnings.
 */
export const ENTITY_WORTH =
  Prisma.raw(`max(h.timestamp) AS timestamp, ${toDouble('sum(h.deposit_usd)')} AS deposit_usd,
  ${toDouble('sum(h.protected_usd)')} AS protected_usd, ${toDouble('sum(h.debt_usd)')} AS debt_usd,
  ${toDouble('sum(h.deposit_usd + h.protected_usd - h.debt_usd)')} AS value_usd,
    bool_or(h.unpriced) AS unpriced`)

/**
 * The FROM clause for `worthColumns`: a row for every entity with a snapshot. A missing price
 * counts as 0.
 */
export const worthFrom = (holder: Holder): Prisma.Sql => Prisma.sql`FROM (
    SELECT h.entity_type, ${ENTITY_WORTH} FROM (${holdings(holder)}) h
      GROUP BY h.chain_id, h.entity_type, h.entity_id
  ) t`

/**
 * Reads what each group of addresses is worth, now or as of a moment, in one statement. Null
 * without a snapshot.
 */
export async function worthOf(
  reader: Reader,
  groups: Groups,
  chainId: number | null,
  asOf: Date | null,
): Promise<(Worth | null)[]> {
  const rows = await readGroups<Worth>(reader, groups, chainId, worthColumns, worthFrom, asOf)
  return rows.map((row) => (row.time === null ? null : row))
}
