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

const worth = (amount: string, price = 'p') => `(${amount} * ${price}.unit_usd)::float8`

// SQL of the exact price of a token's smallest unit. It is in no CASE, which remote servers refuse,
// since how a double prints is a setting.
const unitUsd = (price: string) =>
  `('1e-' || e.asset_decimals)::numeric * ${exact(price)} AS unit_usd`

const usdOf = (kind: EntityType, row: string) =>
  VALUES[kind].map(({ usd }) => `${row}.${usd}`).join(', ')
const bits = (kind: EntityType, isComputed: (usd: string) => string) =>
  VALUES[kind].map(({ usd, bit }) => `CASE WHEN ${isComputed(usd)} THEN ${bit} ELSE 0 END`)

// The price of the day of staged records `s`, in a market or vault `e`. It is looked up for those
// alone that lack USD.
const priceOfDay = (entities: string, id: string, lacksUsd: string, alias = 'p') =>
  `LEFT JOIN LATERAL (
    SELECT ${unitUsd('p.price_usd')} FROM ${entities} e
    JOIN asset_price p ON p.chain_id = e.chain_id AND p.asset_address = e.asset_address
      AND p.date = CASE
        WHEN s.timestamp <= ${LAST_SECOND} THEN date '1970-01-01' + (s.timestamp / 86400)::int END
    WHERE e.chain_id = s.chain_id AND e.id = ${id} AND ${lacksUsd} OFFSET 0) ${alias} ON true`

/** The price `p` of the day of staged snapshots `s` without a USD value. */
export const priceOfStaged = (kind: EntityType): string =>
  priceOfDay(kind, `s.${kind}_id`, `num_nulls(${usdOf(kind, 's')}) > 0`)

/** The stored values of staged snapshots `s` with a price `p`, by column. */
export const pricedColumns = (kind: EntityType): Record<string, string> => ({
  ...Object.fromEntries(
    VALUES[kind].map(({ usd, amount }) => [usd, `coalesce(s.${usd}, ${worth(`s.${amount}`)})`]),
  ),
  computed_usd: `(CASE
    WHEN p.unit_usd IS NULL THEN 0
    ELSE ${bits(kind, (usd) => `s.${usd} IS NULL`).join(' + ')} END)::smallint`,
})

// The values of records that prices give: `computed` from `amount` where `usd` is null.
interface Priced {
  table: string
  kind: EntityType
  /** The column of the market or vault that has the token. */
  id: string
  values: { computed: string; usd: string; amount: string }[]
  where?: string
}

const sent = (kind: EntityType, id: string): Priced => ({
  table: `${kind}_liquidation_reward`,
  kind,
  id,
  values: [{ computed: 'computed_sent_usd', usd: 'supply_sent_usd', amount: 'supply_sent' }],
})
// The collateral of a vault's rewards is not stored.
const RECEIVED: Priced = {
  table: 'market_liquidation_reward',
  kind: 'market',
  id: 'collateral_market_id',
  values: ['collateral_received', 'liquid_reward'].map((amount) => ({
    computed: `computed_${amount.split('_')[1]}_usd`,
    usd: `${amount}_usd`,
    amount,
  })),
}
const flowsIn = (kind: EntityType): Priced => ({
  table: 'cash_flow',
  kind,
  id: 'entity_id',
  values: [{ computed: 'computed_usd', usd: 'amount_usd', amount: 'assets' }],
  where: `t.entity_type = '${kind}'`,
})
const PRICED = [
  flowsIn('market'),
  flowsIn('vault'),
  sent('market', 'debt_market_id'),
  sent('vault', 'vault_id'),
  RECEIVED,
]

const lacksUsd = ({ values }: Priced, row: string) =>
  `(${values.map(({ usd }) => `${row}.${usd} IS NULL`).join(' OR ')})`
const computedOf = ({ values }: Priced, row: string, price: string) =>
  Object.fromEntries(
    values.map(({ computed, usd, amount }) => [
      computed,
      `CASE WHEN ${row}.${usd} IS NULL THEN ${worth(`${row}.${amount}`, price)} END`,
    ]),
  )

/**
 * The price `p` of the day of a staged cash flow `s` without a USD value, and the flow's value by
 * it. A separate column has it, since the documented earnings count such a flow as 0.
 */
export const PRICED_FLOW = {
  join: priceOfDay(
    `(SELECT 'market' AS type, chain_id, id, asset_address, asset_decimals FROM market
      UNION ALL SELECT 'vault', chain_id, id, asset_address, asset_decimals FROM vault)`,
    's.entity_id',
    'e.type = s.entity_type::text AND s.amount_usd IS NULL',
  ),
  columns: computedOf(flowsIn('market'), 's', 'p'),
}

/** The prices of the day of staged rewards `s` without USD, and what is valued by them. */
export const pricedRewards = (kind: EntityType) => {
  const priced = PRICED.filter(({ table }) => table === `${kind}_liquidation_reward`)
  return {
    join: priced
      .map((one, n) => priceOfDay(kind, `s.${one.id}`, lacksUsd(one, 's'), `p${n}`))
      .join(' '),
    columns: Object.assign({}, ...priced.map((one, n) => computedOf(one, 's', `p${n}`))) as Record<
      string,
      string
    >,
  }
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

/** Selects the users whose newest snapshots have values of changed prices. */
export const usersOfChangedPrices = (writer: Writer): string =>
  (['market', 'vault'] as const)
    .map(
      (kind) => `SELECT t.user_address FROM ${kind}_holding t JOIN ${pricesOf(writer, kind)}
        ON t.chain_id = p.chain_id AND t.${kind}_id = p.id
        AND t.timestamp BETWEEN p.start AND p.start + 86399
        AND (t.computed_usd > 0 OR num_nulls(${usdOf(kind, 't')}) > 0)`,
    )
    .join(' UNION ')

/**
 * Computes the values that sources do not give, of the records on the days of changed prices.
 * Holdings follow, as rows of the same columns: by triggers, or here.
 */
export async function applyChangedPrices(writer: Writer): Promise<void> {
  for (const kind of ['market', 'vault'] as const) {
    await applyPrices(writer, kind, `${kind}_snapshot`)
    if (writer.usersAreRemote) await applyPrices(writer, kind, `${kind}_holding`)
  }
  for (const priced of PRICED) await priceRecords(writer, priced)
  await changed.drop(writer)
}

// The changed prices `p` of the smallest units of each market's or vault's token, by day.
const pricesOf = (writer: Writer, kind: EntityType) => `(
  SELECT e.chain_id, e.id, ${unitUsd('c.price_usd')},
    (c.date - date '1970-01-01')::bigint * 86400 AS start
  FROM ${kind} e
  JOIN ${writer.temporary('changed_price')} c USING (chain_id, asset_address)) p`

async function priceRecords(writer: Writer, priced: Priced): Promise<void> {
  const { table, kind, id, where = 'true' } = priced
  const values = Object.entries(computedOf(priced, 't', 'p'))
  await writer.query(
    `UPDATE ${table} t SET ${values.map(([column, value]) => `${column} = ${value}`).join(', ')}
     FROM ${pricesOf(writer, kind)}
     WHERE ${where} AND t.chain_id = p.chain_id AND t.${id} = p.id
       AND t.timestamp BETWEEN p.start AND p.start + 86399
       AND ${lacksUsd(priced, 't')}`,
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
