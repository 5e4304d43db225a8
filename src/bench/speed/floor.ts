/**
 * The floor: what the product is compared to. Bare node:http and pg, hand-written SQL in named
 * statements on plain tables (plain.sql), rows as they come from pg, JSON.stringify. It answers
 * what the product answers.
 */
import { createServer } from 'node:http'
import pg from 'pg'

const text = (value: string) => value
const PARSERS: Record<number, (value: string) => unknown> = {
  16: (value) => value === 't',
  21: Number,
  23: Number,
  701: Number,
  1082: (value) => `${value}T00:00:00.000Z`,
  1184: (value) => new Date(value).toISOString(),
}
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  options: '-c search_path=plain',
  max: 10,
  types: { getTypeParser: (oid: number) => PARSERS[oid] ?? text } as pg.CustomTypesConfig,
})
pool.on('error', () => {})

type Row = Record<string, any>

async function rows(name: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await pool.query({ name, text: sql, values })).rows
}

const sideColumns = (s: 'a' | 'b') =>
  ['token_address', 'token_symbol', 'token_price']
    .concat(
      ['supplied', 'protected_supplied', 'borrowed'].flatMap((of) => [
        `${of}_amount`,
        `${of}_amount_usd`,
      ]),
    )
    .map(
      (column) =>
        `t.${s}_${column} AS "${`${s}_${column}`.replace(/_(.)/g, (_, c) => c.toUpperCase())}"`,
    )
    .join(', ')
const POSITION = `t.id, t.user_address AS "userAddress", t.pool_address AS "marketAddress",
  t.distribution_date AS "distributionDate", t.points_a AS "pointsA", t.points_b AS "pointsB",
  t.points,
  ${sideColumns('a')}, ${sideColumns('b')}`
const NEWEST = 'ORDER BY t.distribution_date DESC, t.id'

function pageOf(items: Row[], limit: number) {
  const more = items.length > limit
  if (more) items.pop()
  return { items, more }
}

const ASSET_POSITIONS = `SELECT ${POSITION} FROM (
  (SELECT * FROM position WHERE a_token_address = $1 ORDER BY distribution_date DESC, id LIMIT $2)
  UNION ALL
  (SELECT * FROM position WHERE b_token_address = $1 AND a_token_address <> $1
  ORDER BY distribution_date DESC, id LIMIT $2)
) t ${NEWEST} LIMIT $2`

async function assetPositions(asset: string, limit: number) {
  return pageOf(await rows('asset positions', ASSET_POSITIONS, [asset, limit + 1]), limit)
}

const POOL_POSITIONS = `SELECT ${POSITION} FROM position t WHERE pool_address = $1 ${NEWEST}
  LIMIT $2`
const POOL_POSITIONS_AFTER = `SELECT ${POSITION} FROM (SELECT distribution_date, id FROM position
  WHERE id = $3) c
  CROSS JOIN LATERAL (
    (SELECT * FROM position WHERE pool_address = $1 AND distribution_date = c.distribution_date
    AND id > c.id
      ORDER BY distribution_date DESC, id LIMIT $2)
    UNION ALL
    (SELECT * FROM position WHERE pool_address = $1 AND distribution_date < c.distribution_date
      ORDER BY distribution_date DESC, id LIMIT $2)
  ) t ${NEWEST} LIMIT $2`

/** A user's first days, or (newest) last ones, with their positions: one statement. */
const days = (order: 'ASC' | 'DESC', after: string) => `SELECT ${POSITION} FROM (
    SELECT user_address, distribution_date FROM account_day WHERE user_address = $1 ${after}
    ORDER BY distribution_date ${order} LIMIT $2
  ) d JOIN position t USING (user_address, distribution_date)
  ORDER BY t.distribution_date, t.pool_address`

function daysOf(positions: Row[]) {
  const days: { distributionDate: string; points: number; positions: Row[] }[] = []
  for (const position of positions) {
    const { distributionDate } = position
    const last = days.at(-1)
    if (last && last.distributionDate === distributionDate) {
      last.points = Math.round((last.points + position.points) * 1e6) / 1e6
      last.positions.push(position)
    } else days.push({ distributionDate, points: position.points, positions: [position] })
  }
  return days
}

const MULTIPLIER = `m.id, m.pool_address AS "poolAddress", m.deposit_token_a AS "deposit_tokenA",
  m.deposit_token_b AS "deposit_tokenB", m.borrow_token_a AS "borrow_tokenA",
  m.borrow_token_b AS "borrow_tokenB",
  p.asset_1_address AS "tokenA_address", p.asset_2_address AS "tokenB_address",
  p.asset_1_symbol AS "tokenA_symbol",
  p.asset_2_symbol AS "tokenB_symbol", p.asset_1_symbol || '·' || p.asset_2_symbol || '·' ||
  p.number AS "poolName",
  m.created_at AS "createdAt", m.updated_at AS "updatedAt"`
const BY_POOL = 'ORDER BY p.number, p.id'
const POOLS = `SELECT p.id, p.number::float8 AS "marketId", p.chain_id::float8 AS "chainId", p.name,
    p.asset_1_address, p.asset_1_name, p.asset_1_symbol, p.asset_2_address, p.asset_2_name,
    p.asset_2_symbol,
    p.created_timestamp::float8 AS "createdTimestamp", p.interest_last_updated::float8 AS
    "interestLastUpdated",
    p.unit_1_id, p.unit_2_id, m.id AS uuid, m.deposit_token_a, m.deposit_token_b, m.borrow_token_a,
    m.borrow_token_b,
    m.created_at, m.updated_at
  FROM pool p LEFT JOIN multiplier m ON m.pool_address = p.id ${BY_POOL}`

const MARKET_SNAPSHOT = (
  position: string,
  sum: (column: string) => string,
) => `chain_id::float8 AS "chainId",
  market_id AS "marketId", user_address AS "accountId", ${position} AS "positionId", timestamp,
  ${sum('collateral_assets')} AS "collateralAssets", ${sum('collateral_usd')} AS "collateralUsd",
  ${sum('protected_assets')} AS "protectedAssets", ${sum('protected_usd')} AS "protectedUsd",
  ${sum('debt_assets')} AS "debtAssets", ${sum('debt_usd')} AS "debtUsd"`
const WINDOW = 'WHERE user_address = $1 AND timestamp BETWEEN $2 AND $3'
const PAGE = 'LIMIT $4 OFFSET $5'
const GROUP = 'GROUP BY user_address, timestamp, chain_id, market_id'
const MARKET_SNAPSHOTS = `SELECT ${MARKET_SNAPSHOT('position_id', (column) => column)}
  FROM market_snapshot ${WINDOW}
  ORDER BY timestamp, chain_id, market_id, position_id ${PAGE}`
const GROUPED_MARKET_SNAPSHOTS = `SELECT ${MARKET_SNAPSHOT('NULL', (column) => `sum(${column})`)}
  FROM market_snapshot
  ${WINDOW} ${GROUP} ORDER BY timestamp, chain_id, market_id ${PAGE}`
const VAULT_SNAPSHOTS = `SELECT chain_id::float8 AS "chainId", vault_id AS "vaultId",
  user_address AS "accountId",
  position_id AS "positionId", timestamp, shares, assets, assets_usd AS "assetsUsd"
  FROM vault_snapshot ${WINDOW}
  ORDER BY timestamp, chain_id, vault_id, position_id ${PAGE}`
const COUNTS = {
  market: `SELECT count(*)::int AS total FROM market_snapshot ${WINDOW}`,
  grouped: `SELECT count(*)::int AS total FROM (SELECT FROM market_snapshot ${WINDOW} ${GROUP}) t`,
  vault: `SELECT count(*)::int AS total FROM vault_snapshot ${WINDOW}`,
}

async function snapshots(kind: 'market' | 'vault', address: string, query: URLSearchParams) {
  const page = Number(query.get('page') ?? 1)
  const size = Number(query.get('page_size') ?? 100)
  const from = query.get('from_timestamp') ?? String(Math.floor(Date.now() / 1000) - DAYS_30)
  const to = query.get('to_timestamp') ?? String(Math.floor(Date.now() / 1000))
  const grouped = query.get('should_group_by_timestamp') === 'true'
  const ofMarkets = grouped ? GROUPED_MARKET_SNAPSHOTS : MARKET_SNAPSHOTS
  const sql = kind === 'vault' ? VAULT_SNAPSHOTS : ofMarkets
  const count = grouped ? 'grouped' : kind
  const [data, [counted]] = await Promise.all([
    rows(`${count} snapshots`, sql, [address, from, to, size, (page - 1) * size]),
    rows(`${count} count`, COUNTS[count], [address, from, to]),
  ])
  const pagination = paginationOf(page, size, counted?.total, data.length)
  const window = { from_timestamp: from, to_timestamp: to, should_group_by_timestamp: grouped }
  return { data, pagination, filters: { [kind]: null, chain_id: null, ...window } }
}
const DAYS_30 = 30 * 86_400

const paginationOf = (page: number, page_size: number, total: number, count: number) => ({
  page,
  page_size,
  total,
  has_more: count > 0 && (page - 1) * page_size + count < total,
})

const REWARD = (
  ids: string,
) => `tx_hash AS "txHash", log_index::float8 AS "logIndex", timestamp, user_address AS "accountId",
  ${ids},
  supply_sent AS "supplySent", supply_sent_usd AS "supplySentUsd",
  collateral_received AS "collateralReceived",
  collateral_received_usd AS "collateralReceivedUsd", liquid_reward AS "liquidReward",
  liquid_reward_usd AS "liquidRewardUsd", user_roi AS "userRoi",
  claimed_timestamp AS "claimedTimestamp"`
const REWARDS_NEWEST = 'ORDER BY timestamp DESC, log_index DESC, tx_hash, chain_id'
const DEBT_AND_COLLATERAL =
  'debt_market_id AS "debtMarketId", collateral_market_id AS "collateralMarketId"'
const REWARDS = {
  market: `SELECT ${REWARD(DEBT_AND_COLLATERAL)}
    FROM market_liquidation_reward WHERE user_address = $1
    AND collateral_market_id = $2 ${REWARDS_NEWEST} LIMIT $3 OFFSET $4`,
  vault: `SELECT ${REWARD('vault_id AS "vaultId"')}
    FROM vault_liquidation_reward WHERE user_address = $1 AND vault_id = $2 ${REWARDS_NEWEST}
    LIMIT $3 OFFSET $4`,
}
const REWARD_TOTALS = {
  market: `SELECT EXISTS (SELECT FROM market WHERE id = $2) AS found, (SELECT count(*)::int
    FROM market_liquidation_reward WHERE user_address = $1 AND collateral_market_id = $2) AS total`,
  vault: `SELECT EXISTS (SELECT FROM vault WHERE id = $2) AS found, (SELECT count(*)::int
    FROM vault_liquidation_reward WHERE user_address = $1 AND vault_id = $2) AS total`,
}

async function rewards(kind: 'market' | 'vault', address: string, query: URLSearchParams) {
  const entity = query.get(kind)
  const page = Number(query.get('page') ?? 1)
  const size = Number(query.get('page_size') ?? 100)
  const [data, [counted]] = await Promise.all([
    rows(`${kind} rewards`, REWARDS[kind], [address, entity, size, (page - 1) * size]),
    rows(`${kind} reward totals`, REWARD_TOTALS[kind], [address, entity]),
  ])
  if (!counted?.found) return undefined
  const pagination = paginationOf(page, size, counted.total, data.length)
  return { data, pagination, filters: { chain_id: null, [kind]: entity } }
}

/**
 * A user's newest rows in each market or vault: the newest timestamps from the key's index alone,
 * then just their rows.
 */
const latest = (kind: 'market' | 'vault') => `(
    SELECT DISTINCT ON (chain_id, ${kind}_id) chain_id, ${kind}_id, timestamp FROM ${kind}_snapshot
    WHERE user_address = $1 ORDER BY chain_id DESC, ${kind}_id DESC, timestamp DESC
  ) n CROSS JOIN LATERAL (
    SELECT * FROM ${kind}_snapshot t WHERE t.user_address = $1 AND t.chain_id = n.chain_id
      AND t.${kind}_id = n.${kind}_id AND t.timestamp = n.timestamp OFFSET 0
  ) s`
const HOLDINGS = `
  SELECT s.chain_id::float8 AS chain_id, 'market' AS type, s.market_id AS id,
    coalesce(sum(s.collateral_usd ORDER BY s.position_id), 0) AS deposit,
    coalesce(sum(s.protected_usd ORDER BY s.position_id), 0) AS protected,
    coalesce(sum(s.debt_usd ORDER BY s.position_id), 0) AS debt,
    bool_or(s.collateral_usd IS NULL OR s.protected_usd IS NULL
    OR s.debt_usd IS NULL) AS incomplete,
    coalesce(m.deposit_rate, 0) AS deposit_rate, coalesce(m.borrow_rate, 0) AS borrow_rate
  FROM ${latest('market')} LEFT JOIN market m ON m.chain_id = s.chain_id AND m.id = s.market_id
  GROUP BY s.chain_id, s.market_id, m.deposit_rate, m.borrow_rate
  UNION ALL
  SELECT s.chain_id::float8, 'vault', s.vault_id, coalesce(sum(s.assets_usd
  ORDER BY s.position_id), 0), 0, 0,
    bool_or(s.assets_usd IS NULL), coalesce(v.deposit_rate, 0), 0
  FROM ${latest('vault')} LEFT JOIN vault v ON v.chain_id = s.chain_id AND v.id = s.vault_id
  GROUP BY s.chain_id, s.vault_id, v.deposit_rate`
const NET_CASH = `SELECT chain_id::float8 AS chain_id, entity_type AS type, entity_id AS id,
    coalesce(sum(CASE WHEN kind IN ('deposit', 'repay') THEN amount_usd ELSE -amount_usd END
      ORDER BY timestamp, tx_hash, log_index), 0) AS amount,
    bool_or(amount_usd IS NULL) AS incomplete
  FROM cash_flow WHERE user_address = $1 GROUP BY chain_id, entity_type, entity_id`

const holdingsOf = (address: string) => rows('holdings', HOLDINGS, [address])

const rounded = (value: number) => Math.round(value * 1e6)
const compareTexts = (one: string, other: string) => Number(one > other) - Number(one < other)
const largestFirst = (value: (row: Row) => number) => (a: Row, b: Row) =>
  rounded(value(b)) - rounded(value(a)) ||
  a.chain_id - b.chain_id ||
  compareTexts(a.type, b.type) ||
  compareTexts(a.id, b.id)
const sum = (list: Row[], value: (row: Row) => number) => {
  let total = 0
  for (const row of list) total += value(row)
  return total
}

function earningsFrom(holdings: Row[], flows: Row[]) {
  const entities = new Map<string, Row>()
  for (const { chain_id, type, id, deposit, protected: kept, debt, incomplete } of holdings)
    entities.set(`${chain_id} ${type} ${id}`, {
      chain_id,
      type,
      id,
      value: deposit + kept - debt,
      cash: 0,
      incomplete,
    })
  for (const { chain_id, type, id, amount, incomplete } of flows) {
    const key = `${chain_id} ${type} ${id}`
    const entity = entities.get(key)
    if (entity) {
      entity.cash = amount
      entity.incomplete ||= incomplete
    } else entities.set(key, { chain_id, type, id, value: 0, cash: amount, incomplete })
  }
  const breakdown = [...entities.values()].sort(largestFirst((one) => one.value))
  return {
    breakdown,
    earned: sum(breakdown, (one) => one.value - one.cash),
    value: sum(breakdown, (one) => one.value),
    cash: sum(breakdown, (one) => one.cash),
    incomplete: breakdown.some((one) => one.incomplete),
  }
}

function netAprFrom(holdings: Row[]) {
  const breakdown = holdings.toSorted(largestFirst((one) => one.deposit + one.debt))
  const deposits = sum(breakdown, (one) => one.deposit)
  const debts = sum(breakdown, (one) => one.debt)
  return {
    breakdown,
    deposits,
    debts,
    earn: deposits === 0 ? 0 : sum(breakdown, (one) => one.deposit * one.deposit_rate) / deposits,
    borrow: debts === 0 ? 0 : sum(breakdown, (one) => one.debt * one.borrow_rate) / debts,
  }
}

/** The first page, of 100, of what has been computed whole. */
function firstPage(data: Row, breakdown: Row[]) {
  const page = breakdown.slice(0, 100)
  return {
    data: { ...data, breakdown: page },
    pagination: paginationOf(1, 100, breakdown.length, page.length),
    filters: { chain_id: null },
  }
}

async function earnings(address: string) {
  const [holdings, flows] = await Promise.all([
    holdingsOf(address),
    rows('net cash', NET_CASH, [address]),
  ])
  const { breakdown, earned, value, cash, incomplete } = earningsFrom(holdings, flows)
  return firstPage(
    {
      total_earnings_usd: earned,
      total_current_value_usd: value,
      total_net_cash_invested_usd: cash,
      has_incomplete_prices: incomplete,
    },
    breakdown.map((one) => ({
      chain_id: one.chain_id,
      entity_id: one.id,
      entity_type: one.type,
      current_value_usd: one.value,
      net_cash_invested_usd: one.cash,
      earnings_usd: one.value - one.cash,
      has_incomplete_prices: one.incomplete,
    })),
  )
}

async function netApr(address: string) {
  const { breakdown, deposits, debts, earn, borrow } = netAprFrom(await holdingsOf(address))
  return firstPage(
    {
      earn_net_apr: earn,
      borrow_net_apr: borrow,
      total_earn_deposits_usd: deposits,
      total_borrow_usd: debts,
    },
    breakdown.map((one) => ({
      chain_id: one.chain_id,
      entity_id: one.id,
      entity_type: one.type,
      earn_deposit_usd: one.deposit,
      deposit_rate: one.deposit_rate,
      borrow_usd: one.debt,
      borrow_rate: one.borrow_rate,
    })),
  )
}

const USER_ENTITY: Record<string, (address: string, query: URLSearchParams) => Promise<unknown>> = {
  'market-position-snapshots': (address, query) => snapshots('market', address, query),
  'vault-position-snapshots': (address, query) => snapshots('vault', address, query),
  'market-liquidation-rewards': (address, query) => rewards('market', address, query),
  'vault-liquidation-rewards': (address, query) => rewards('vault', address, query),
  earnings,
  'net-apr': netApr,
}

/** The REST endpoints by their path; those with an address in it below. */
const REST: Record<string, (query: URLSearchParams) => Promise<unknown>> = {
  async '/points/leaderboard'(query) {
    const list = await rows(
      'top 3 and one',
      `(SELECT user_address AS account, points, rank::text AS rank FROM account
        ORDER BY account.rank LIMIT 3)
       UNION ALL SELECT user_address, points, rank::text FROM account WHERE user_address = $1
       UNION ALL SELECT NULL, 0, account_count::text FROM program`,
      [query.get('account')],
    )
    return { total: list.pop()?.rank, topAccounts: list }
  },
  async '/points/userpoints'(query) {
    const account = query.get('account')
    const [row] = await rows(
      'user points',
      'SELECT total_points, (SELECT points FROM account WHERE user_address = $1) AS points ' +
        'FROM program',
      [account],
    )
    return { account, userPoints: row?.points ?? 0, totalPoints: row?.total_points }
  },
  '/points/breakdown-by-assets': byAssets,
  '/positions/breakdown-by-assets': byAssets,
  async '/points/reports'() {
    const sql =
      'SELECT date AS "distributionDate", total_points AS "totalPoints", position_count AS ' +
      '"positionCount" FROM distribution ORDER BY date DESC'
    return { items: await rows('reports', sql) }
  },
  '/multipliers/all': () =>
    rows(
      'multipliers',
      `SELECT ${MULTIPLIER} FROM multiplier m JOIN pool p ON p.id = m.pool_address ${BY_POOL}`,
    ),
  async '/pools/all'() {
    return (await rows('pools', POOLS)).map((p) => ({
      id: p.id,
      marketId: p.marketId,
      name: p.name,
      asset_1_address: p.asset_1_address,
      asset_1_name: p.asset_1_name,
      asset_1_symbol: p.asset_1_symbol,
      asset_2_address: p.asset_2_address,
      asset_2_name: p.asset_2_name,
      asset_2_symbol: p.asset_2_symbol,
      createdTimestamp: p.createdTimestamp,
      interestLastUpdated: p.interestLastUpdated,
      unit_1_id: p.unit_1_id,
      unit_2_id: p.unit_2_id,
      multiplier: p.uuid && {
        id: p.uuid,
        poolAddress: p.id,
        deposit_tokenA: p.deposit_token_a,
        deposit_tokenB: p.deposit_token_b,
        borrow_tokenA: p.borrow_token_a,
        borrow_tokenB: p.borrow_token_b,
        tokenA_address: p.asset_1_address,
        tokenB_address: p.asset_2_address,
        tokenA_symbol: p.asset_1_symbol,
        tokenB_symbol: p.asset_2_symbol,
        poolName: `${p.asset_1_symbol}·${p.asset_2_symbol}·${p.marketId}`,
        createdAt: p.created_at,
        updatedAt: p.updated_at,
      },
    }))
  },
  async '/positions/breakdown-by-markets'(query) {
    const limit = Number(query.get('limit') ?? 10)
    const values = [query.get('market'), limit + 1]
    const cursor = query.get('cursor')
    const page = cursor
      ? rows('pool positions after', POOL_POSITIONS_AFTER, [...values, cursor])
      : rows('pool positions', POOL_POSITIONS, values)
    const { items, more } = pageOf(await page, limit)
    return { items, nextCursor: more ? items.at(-1)?.id : null }
  },
}

async function byAssets(query: URLSearchParams) {
  const { items, more } = await assetPositions(
    query.get('asset') ?? '',
    Number(query.get('limit') ?? 10),
  )
  return { items, nextCursor: more ? items.at(-1)?.id : null }
}

async function pointsOf(address: string, query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? 10)
  const after = query.get('cursor')
  const page = after
    ? rows('days after', days('ASC', 'AND distribution_date > $3'), [address, limit + 1, after])
    : rows('days', days('ASC', ''), [address, limit + 1])
  const { items, more } = pageOf(daysOf(await page), limit)
  return { items, nextCursor: more ? items.at(-1)?.distributionDate : null }
}

async function positionsOf(userAddress: string) {
  const [row] = await rows(
    'user and program',
    'SELECT p.total_points, a.points, a.last_distribution_date FROM program p LEFT JOIN ' +
      'account a ON a.user_address = $1',
    [userAddress],
  )
  const timestamp = new Date().toISOString()
  const entry = {
    userAddress,
    timestamp,
    lastSnapshotDate: row?.last_distribution_date,
    points: row?.points,
  }
  return { points: row?.last_distribution_date ? [entry] : [], totalPoints: row?.total_points }
}

const graphAmount = (row: Row, of: string) => ({
  value: String(row[`${of}Amount`]),
  usd: row[`${of}AmountUsd`],
})
const graphSide = (s: 'a' | 'b', row: Row) => ({
  asset: { address: row[`${s}TokenAddress`], symbol: row[`${s}TokenSymbol`] },
  priceUsd: row[`${s}TokenPrice`],
  supplied: graphAmount(row, `${s}Supplied`),
  protected: graphAmount(row, `${s}ProtectedSupplied`),
  borrowed: graphAmount(row, `${s}Borrowed`),
})
/** A date as the graph writes it. REST answers have its midnight. */
const day = (midnight: string) => midnight.slice(0, 10)
const graphPosition = (row: Row) => ({
  legacy: { recordId: row.id },
  user: { address: row.userAddress },
  poolAddress: row.marketAddress,
  distributionDate: day(row.distributionDate),
  pointsA: row.pointsA,
  pointsB: row.pointsB,
  points: row.points,
  sideA: graphSide('a', row),
  sideB: graphSide('b', row),
})

const GRAPH_SNAPSHOTS = `SELECT chain_id::float8 AS "chainId", market_id AS "entityAddress",
  user_address AS "userAddress",
  position_id AS "positionId", timestamp, collateral_assets AS "collateralAssets",
  collateral_usd AS "collateralUsd",
  protected_assets AS "protectedAssets", protected_usd AS "protectedUsd",
  debt_assets AS "debtAssets", debt_usd AS "debtUsd"
  FROM market_snapshot ${WINDOW} ORDER BY timestamp, chain_id, market_id, position_id LIMIT $4`
const graphSnapshot = (row: Row) => {
  const {
    userAddress,
    collateralAssets,
    collateralUsd,
    protectedAssets,
    protectedUsd,
    debtAssets,
    debtUsd,
    timestamp,
    ...others
  } = row
  return {
    ...others,
    user: { address: userAddress },
    legacy: { timestamp },
    supplied: { raw: collateralAssets, usd: collateralUsd },
    protected: { raw: protectedAssets, usd: protectedUsd },
    borrowed: { raw: debtAssets, usd: debtUsd },
  }
}
const TOP_POSITIONS = `SELECT p.id AS pool, t.distribution_date, t.points_a AS "pointsA",
  t.points_b AS "pointsB",
    t.user_address, a.points, a.rank
  FROM (SELECT id, number FROM pool ORDER BY number, id LIMIT 50 OFFSET $1) p
  CROSS JOIN LATERAL (SELECT * FROM position WHERE pool_address = p.id
  ORDER BY distribution_date DESC, id LIMIT 5) t
  LEFT JOIN account a ON a.user_address = t.user_address
  ORDER BY p.number, p.id, t.distribution_date DESC, t.id`
const FIFTY_POOLS = `SELECT p.id, p.name, p.asset_1_symbol || '·' || p.asset_2_symbol || '·' ||
  p.number AS display,
    m.id AS uuid, m.deposit_token_a, m.deposit_token_b, m.borrow_token_a, m.borrow_token_b
  FROM pool p LEFT JOIN multiplier m ON m.pool_address = p.id ${BY_POOL} LIMIT 50 OFFSET $1`
const LATEST_MARKETS = `SELECT s.timestamp, s.collateral_usd AS "collateralUsd",
  s.debt_usd AS "debtUsd", m.asset_symbol
  FROM ${latest('market')} LEFT JOIN market m ON m.chain_id = s.chain_id AND m.id = s.market_id
  ORDER BY s.chain_id, s.market_id, s.position_id`
const LATEST_VAULTS = `SELECT s.timestamp, s.assets_usd AS "assetsUsd", v.name
  FROM ${latest('vault')} LEFT JOIN vault v ON v.chain_id = s.chain_id AND v.id = s.vault_id
  ORDER BY s.chain_id, s.vault_id, s.position_id`
const PAGE_REWARDS = (
  kind: 'market' | 'vault',
) => `SELECT tx_hash AS "txHash", liquid_reward_usd AS usd,
  claimed_timestamp AS "claimedTimestamp" FROM ${kind}_liquidation_reward
  WHERE user_address = $1 ${REWARDS_NEWEST} LIMIT 10`

const graphReward = ({ txHash, usd, claimedTimestamp }: Row) => ({
  txHash,
  liquidReward: { usd },
  legacy: { claimedTimestamp },
})

/** The GraphQL operations, each as an endpoint that takes the operation's variables. */
const GRAPH: Record<string, (variables: Row) => Promise<unknown>> = {
  async leaderboard({ first }) {
    const sql =
      'SELECT rank, user_address AS "userAddress", points FROM account ORDER BY rank LIMIT $1'
    const [board, [program]] = await Promise.all([
      rows('leaderboard', sql, [first + 1]),
      rows('accounts', 'SELECT account_count AS total FROM program'),
    ])
    const { items, more: hasNextPage } = pageOf(board, first)
    const nodes = items.map(({ userAddress, ...of }) => ({ ...of, user: { address: userAddress } }))
    return { leaderboard: { totalCount: program?.total, nodes, pageInfo: { hasNextPage } } }
  },
  async dailyPoints({ address }) {
    const newest = daysOf(await rows('last days', days('DESC', ''), [address, 10]))
    const nodes = newest.map(({ distributionDate, points, positions }) => ({
      distributionDate: day(distributionDate),
      points,
      positions: positions.map(graphPosition),
    }))
    return { user: { dailyPoints: { nodes } } }
  },
  async assetPositions({ asset }) {
    const { items, more: hasNextPage } = await assetPositions(asset, 100)
    return { positions: { nodes: items.map(graphPosition), pageInfo: { hasNextPage } } }
  },
  async snapshots({ address, from, to, first }) {
    const snapshots = await rows('graph snapshots', GRAPH_SNAPSHOTS, [address, from, to, first + 1])
    const { items: nodes, more: hasNextPage } = pageOf(snapshots, first)
    return {
      user: {
        legacy: { marketSnapshots: { nodes: nodes.map(graphSnapshot), pageInfo: { hasNextPage } } },
      },
    }
  },
  async topPositions({ offset }) {
    const [pools, positions] = await Promise.all([
      rows('fifty pools', FIFTY_POOLS, [offset]),
      rows('top positions', TOP_POSITIONS, [offset]),
    ])
    const byPool = new Map<string, Row[]>(pools.map(({ id }) => [id, []]))
    for (const {
      pool,
      distribution_date,
      pointsA,
      pointsB,
      user_address: address,
      points,
      rank,
    } of positions)
      byPool.get(pool)?.push({
        distributionDate: day(distribution_date),
        pointsA,
        pointsB,
        user: { address, points: points ?? 0, rank },
      })
    const nodes = pools.map((p) => ({
      address: p.id,
      name: p.name,
      displayName: p.display,
      multiplier: p.uuid && {
        depositA: p.deposit_token_a,
        depositB: p.deposit_token_b,
        borrowA: p.borrow_token_a,
        borrowB: p.borrow_token_b,
      },
      positions: { nodes: byPool.get(p.id) },
    }))
    return { pools: { nodes } }
  },
  async allPools() {
    const nodes = (await rows('pools', POOLS)).map((p) => ({
      address: p.id,
      chainId: p.chainId,
      number: p.marketId,
      name: p.name,
      legacy: { createdTimestamp: p.createdTimestamp, interestLastUpdated: p.interestLastUpdated },
      marketAAddress: p.unit_1_id,
      marketBAddress: p.unit_2_id,
      assetA: { address: p.asset_1_address, name: p.asset_1_name, symbol: p.asset_1_symbol },
      assetB: { address: p.asset_2_address, name: p.asset_2_name, symbol: p.asset_2_symbol },
      multiplier: p.uuid && {
        depositA: p.deposit_token_a,
        depositB: p.deposit_token_b,
        borrowA: p.borrow_token_a,
        borrowB: p.borrow_token_b,
        createdAt: p.created_at,
        updatedAt: p.updated_at,
      },
    }))
    return { pools: { nodes } }
  },
  async userPage({ address }) {
    const [holdings, flows, [account], markets, vaults, marketRewards, vaultRewards] =
      await Promise.all([
        holdingsOf(address),
        rows('net cash', NET_CASH, [address]),
        rows('account', 'SELECT points, rank FROM account WHERE user_address = $1', [address]),
        rows('latest markets', LATEST_MARKETS, [address]),
        rows('latest vaults', LATEST_VAULTS, [address]),
        rows('page market rewards', PAGE_REWARDS('market'), [address]),
        rows('page vault rewards', PAGE_REWARDS('vault'), [address]),
      ])
    const { breakdown, earned, value, cash, incomplete } = earningsFrom(holdings, flows)
    const { earn, borrow, deposits, debts } = netAprFrom(holdings)
    const user = {
      points: account?.points ?? 0,
      rank: account?.rank ?? null,
      earnings: {
        totalEarningsUsd: earned,
        totalWorthUsd: value,
        totalCashUsd: cash,
        hasIncompletePrices: incomplete,
        breakdown: breakdown.slice(0, 100).map((one) => ({
          entityType: one.type.toUpperCase(),
          chainId: one.chain_id,
          entityAddress: one.id,
          worthUsd: one.value,
          earningsUsd: one.value - one.cash,
        })),
      },
      netApr: {
        earnNetApr: earn,
        borrowNetApr: borrow,
        totalEarnDepositsUsd: deposits,
        totalBorrowUsd: debts,
      },
      latestSnapshots: [
        ...markets.map(({ timestamp, collateralUsd, debtUsd, asset_symbol: assetSymbol }) => ({
          legacy: { timestamp },
          supplied: { usd: collateralUsd },
          borrowed: { usd: debtUsd },
          entity: { asset: { symbol: assetSymbol } },
        })),
        ...vaults.map(({ timestamp, assetsUsd, name }) => ({
          legacy: { timestamp },
          supplied: { usd: assetsUsd },
          borrowed: null,
          entity: { name },
        })),
      ],
      marketLiquidationRewards: { nodes: marketRewards.map(graphReward) },
      vaultLiquidationRewards: { nodes: vaultRewards.map(graphReward) },
    }
    return { user }
  },
  async users({ addresses }) {
    const list = await rows(
      'users',
      'SELECT user_address AS address, points, rank FROM account WHERE user_address = ANY($1)',
      [addresses],
    )
    const byAddress = new Map(list.map((row) => [row.address, row]))
    return {
      users: {
        nodes: addresses
          .toSorted()
          .map((address: string) => byAddress.get(address) ?? { address, points: 0, rank: null }),
      },
    }
  },
}

async function answer(url: string): Promise<unknown> {
  const [path = '', search] = url.split('?', 2)
  const query = new URLSearchParams(search)
  const [, first, second = '', third = '', fourth = ''] = path.split('/')
  const endpoint = REST[path]
  if (endpoint) return endpoint(query)
  if (first === 'points') return pointsOf(second, query)
  if (first === 'positions') return positionsOf(second)
  if (first === 'v1') return USER_ENTITY[fourth]?.(third, query)
  return path === '/health' ? { ok: (await rows('health', 'SELECT 1')).length } : undefined
}

createServer(async (request, response) => {
  const send = (status: number, body: unknown) => {
    const json = JSON.stringify(body)
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(json),
    })
    response.end(json)
  }
  try {
    if (request.method === 'GET') {
      const answered = await answer(request.url ?? '')
      return send(answered === undefined ? 404 : 200, answered ?? null)
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const variables = JSON.parse(Buffer.concat(chunks).toString())
    send(200, { data: await GRAPH[(request.url ?? '').slice(1)]?.(variables) })
  } catch (error) {
    send(500, { error: String(error) })
  }
}).listen(Number(process.env.PORT), '127.0.0.1')
