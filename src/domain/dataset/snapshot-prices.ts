import { exact } from '../../db/exact-sum.ts'
import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Writer } from '../../db/write.ts'
import { LAST_SECOND } from '../../time.ts'
import type { EntityType } from '../holding/place.ts'

// The USD values of a snapshot and their amounts. `computed_usd` is the sum of the bits of those
// that a price gave.
const VALUES: Record<EntityType, { usd: string; amount: string; bit: number }[]> = {
  market: ['collateral', 'protected', 'debt'].map((name, at) => ({
    usd: `${name}_usd`,
    amount: `${name}_assets`,
    bit: 1 << at,
  })),
  vault: [{ usd: 'assets_usd', amount: 'assets', bit: 1 }],
}

/**
 * SQL of the USD values that came from the source of a snapshot `t`, by column. An import computes
 * the others from prices.
 */
export const usdOfSource = (kind: EntityType): Record<string, string> =>
  Object.fromEntries(
    VALUES[kind].map(({ usd, bit }) => [
      usd,
      `CASE WHEN t.computed_usd & ${bit} = 0 THEN t.${usd} END`,
    ]),
  )

const worth = (amount: string) => `(${amount} * p.unit_usd)::float8`

// SQL of the exact price of a token's smallest unit. It is in no CASE, which remote servers refuse,
// since how a double prints is a setting.
const unitUsd = (price: string) =>
  `('1e-' || e.asset_decimals)::numeric * ${exact(price)} AS unit_usd`

const usdOf = (kind: EntityType, row: string) =>
  VALUES[kind].map(({ usd }) => `${row}.${usd}`).join(', ')
const bits = (kind: EntityType, isComputed: (usd: string) => string) =>
  VALUES[kind].map(({ usd, bit }) => `CASE WHEN ${isComputed(usd)} THEN ${bit} ELSE 0 END`)

/**
 * The price `p` of the day of staged snapshots `s` without a USD value. It is looked up for these
 * alone.
 */
export const priceOfStaged = (kind: EntityType): string => `LEFT JOIN LATERAL (
  SELECT ${unitUsd('p.price_usd')} FROM ${kind} e
  JOIN asset_price p ON p.chain_id = e.chain_id AND p.asset_address = e.asset_address
    AND p.date = CASE
      WHEN s.timestamp <= ${LAST_SECOND} THEN date '1970-01-01' + (s.timestamp / 86400)::int END
  WHERE e.chain_id = s.chain_id AND e.id = s.${kind}_id
    AND num_nulls(${usdOf(kind, 's')}) > 0 OFFSET 0) p ON true`

/** The stored values of staged snapshots `s` with a price `p`, by column. */
export const pricedColumns = (kind: EntityType): Record<string, string> => ({
  ...Object.fromEntries(
    VALUES[kind].map(({ usd, amount }) => [usd, `coalesce(s.${usd}, ${worth(`s.${amount}`)})`]),
  ),
  computed_usd: `(CASE
    WHEN p.unit_usd IS NULL THEN 0
    ELSE ${bits(kind, (usd) => `s.${usd} IS NULL`).join(' + ')} END)::smallint`,
})

/**
 * The price `p` of the day of a staged cash flow `s` without a USD value, and the flow's value by
 * it. A separate column has it, since the documented earnings count such a flow as 0.
 */
export const PRICED_FLOW = {
  join: `LEFT JOIN LATERAL (
    SELECT ${unitUsd('p.price_usd')} FROM (
      SELECT 'market' AS type, chain_id, id, asset_address, asset_decimals FROM market
      UNION ALL SELECT 'vault', chain_id, id, asset_address, asset_decimals FROM vault) e
    JOIN asset_price p ON p.chain_id = e.chain_id AND p.asset_address = e.asset_address
      AND p.date = CASE
        WHEN s.timestamp <= ${LAST_SECOND} THEN date '1970-01-01' + (s.timestamp / 86400)::int END
    WHERE e.type = s.entity_type::text AND e.chain_id = s.chain_id AND e.id = s.entity_id
      AND s.amount_usd IS NULL OFFSET 0) p ON true`,
  columns: { computed_usd: `CASE WHEN s.amount_usd IS NULL THEN ${worth('s.assets')} END` },
}

const changed = new TemporaryTable('changed_price', {
  chain_id: 'bigint',
  asset_address: ADDRESS,
  date: 'date',
  price_usd: 'float8',
})

/** Finds the staged prices that differ from the stored ones, before they are stored. */
export async function findChangedPrices(writer: Writer): Promise<void> {
  await changed.fill(
    writer,
    `SELECT s.chain_id, s.asset_address, s.date, s.price_usd
     FROM staged s LEFT JOIN asset_price o USING (chain_id, asset_address, date)
     WHERE o.price_usd IS DISTINCT FROM s.price_usd`,
  )
  await changed.analyze(writer)
}

/**
 * Computes the values that sources do not give, of the snapshots and cash flows on the days of
 * changed prices.
 * Holdings follow, as rows of the same columns: by triggers, or here.
 */
export async function applyChangedPrices(writer: Writer): Promise<void> {
  for (const kind of ['market', 'vault'] as const) {
    await applyPrices(writer, kind, `${kind}_snapshot`)
    if (writer.usersAreRemote) await applyPrices(writer, kind, `${kind}_holding`)
    await priceFlows(writer, kind)
  }
  await changed.drop(writer)
}

// The changed prices `p` of the smallest units of each market's or vault's token, by day.
const pricesOf = (writer: Writer, kind: EntityType) => `(
  SELECT e.chain_id, e.id, ${unitUsd('c.price_usd')},
    (c.date - date '1970-01-01')::bigint * 86400 AS start
  FROM ${kind} e
  JOIN ${writer.temporary('changed_price')} c USING (chain_id, asset_address)) p`

async function priceFlows(writer: Writer, kind: EntityType): Promise<void> {
  await writer.query(
    `UPDATE cash_flow t SET computed_usd = ${worth('t.assets')}
     FROM ${pricesOf(writer, kind)}
     WHERE t.entity_type = '${kind}' AND t.chain_id = p.chain_id AND t.entity_id = p.id
       AND t.timestamp BETWEEN p.start AND p.start + 86399
       AND t.amount_usd IS NULL AND t.assets IS NOT NULL`,
  )
}

async function applyPrices(writer: Writer, kind: EntityType, table: string): Promise<void> {
  const values = VALUES[kind].map(
    ({ usd, amount, bit }) => `${usd} = CASE
      WHEN t.${usd} IS NULL OR t.computed_usd & ${bit} > 0 THEN ${worth(`t.${amount}`)}
      ELSE t.${usd} END`,
  )
  const computed = bits(kind, (usd) => `t.${usd} IS NULL`).join(' | ')
  await writer.query(
    `UPDATE ${table} t
     SET ${values.join(', ')}, computed_usd = t.computed_usd | (${computed})::smallint
     FROM ${pricesOf(writer, kind)}
     WHERE t.chain_id = p.chain_id AND t.${kind}_id = p.id
       AND t.timestamp BETWEEN p.start AND p.start + 86399
       AND (t.computed_usd > 0 OR num_nulls(${usdOf(kind, 't')}) > 0)`,
  )
}
