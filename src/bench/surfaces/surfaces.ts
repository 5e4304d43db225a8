/**
 * What the graph answers beyond rows: each surface as a GraphQL query, and as SQL written by hand
 * for its answer.
 */
import { DAYS, FIRST_DAY, type SpeedStore } from '../speed/data.ts'

export interface Surface {
  name: string
  query: string
  /** Variables of the query with the values of the statement, for several requests. */
  variants: { variables: object; values: unknown[] }[]
  sql: string
  /** The rows of the statement, as the query's data has them. */
  rows(data: any): unknown[][]
  /** Their order is not part of the answer. */
  unordered?: true
}

const day = (nth: number) => new Date((FIRST_DAY + nth * 86_400) * 1000).toISOString().slice(0, 10)
/** A date as the statements write it. */
const plain = (value: unknown) =>
  typeof value === 'string' ? value.replace(/T00:00:00\.000Z$/, '') : value

const NEWEST = day(DAYS - 1)
const WEEK_AGO = day(DAYS - 8)
const SUPPLIED = 'a_supplied_amount_usd + b_supplied_amount_usd'
const PROTECTED = 'a_protected_supplied_amount_usd + b_protected_supplied_amount_usd'
const BORROWED = 'a_borrowed_amount_usd + b_borrowed_amount_usd'
const POINTS = '((t.points_a + t.points_b) / 1e6::float8)'
const POSITIONS = 'position t'

/** The surfaces with values that a store has. */
export function surfacesOf({ names }: SpeedStore): Surface[] {
  const { users, pools, aTokens } = names
  const some = <T>(list: T[], count = 8) =>
    Array.from({ length: count }, (_, i) => list[(i * 7919 + 3) % list.length] as T)
  const wallets = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => users[from + i] as string)
  const asOf = [5, 12, 20, DAYS - 2].map(day)
  const recordRow =
    (...fields: string[]) =>
    ({ legacy, ...of }: Record<string, unknown>) => [
      (legacy as { recordId: string }).recordId,
      ...row(...fields)(of),
    ]
  const row =
    (...fields: string[]) =>
    (of: Record<string, unknown>) =>
      fields.map((field) => plain(field.split('.').reduce((from: any, name) => from[name], of)))

  return [
    {
      name: 'filter: positions of a user, by AND and OR, sorted by two keys',
      query: `query ($user: Address!, $pool: Address!) { positions(first: 100,
        where: { users: [$user], points: { gt: 100 }, OR: [{ pools: [$pool] }, { tvlUsd: {
        gte: 500 } }] },
        orderBy: [POINTS, POOL]
        orderDirection: [DESC, ASC]) { nodes { legacy { recordId } distributionDate: date points } }
        }`,
      variants: some(users).map((user, i) => {
        const pool = pools[i % pools.length]
        return { variables: { user, pool }, values: [user, pool] }
      }),
      sql: `SELECT t.id, t.distribution_date::text, ${POINTS} FROM ${POSITIONS}
        WHERE t.user_address = $1 AND ${POINTS} > 100
          AND (t.pool_address = $2 OR ${SUPPLIED} + ${PROTECTED} >= 500)
        ORDER BY ${POINTS} DESC, t.pool_address, t.distribution_date DESC, t.id LIMIT 100`,
      rows: (data) => data.positions.nodes.map(recordRow('distributionDate', 'points')),
    },
    {
      name: 'filter: positions of a pool and a date, sorted by USD',
      query: `query ($pool: Address!, $date: Date!) { positions(first: 50, where: { pools: [$pool],
        date: { eq: $date } },
        orderBy: BORROWED_USD
        orderDirection: DESC) { nodes { legacy { recordId } points } } }`,
      variants: some(pools).map((pool, i) => ({
        variables: { pool, date: asOf[i % asOf.length] },
        values: [pool, asOf[i % asOf.length]],
      })),
      sql: `SELECT t.id, ${POINTS} FROM ${POSITIONS} WHERE t.pool_address = $1
        AND t.distribution_date = $2
        ORDER BY ${BORROWED} DESC, t.id LIMIT 50`,
      rows: (data) => data.positions.nodes.map(recordRow('points')),
    },
    {
      name: 'filter: positions of two tokens',
      query:
        'query ($assets: [Address!]) { positions(first: 100, where: { assets: $assets }) { nodes ' +
        '{ legacy { recordId } points } } }',
      variants: some(aTokens).map((token, i) => {
        const assets = [token, aTokens[i] === token ? aTokens.at(-1) : aTokens[i]]
        return { variables: { assets }, values: assets }
      }),
      sql: `SELECT t.id, ${POINTS} FROM (
          (SELECT * FROM position WHERE a_token_address = $1 ORDER BY distribution_date DESC, id
          LIMIT 100)
          UNION ALL
          (SELECT * FROM position WHERE a_token_address = $2 ORDER BY distribution_date DESC, id
          LIMIT 100)) t
        ORDER BY distribution_date DESC, id LIMIT 100`,
      rows: (data) => data.positions.nodes.map(recordRow('points')),
    },
    {
      name: 'filter: the leaderboard by points, sorted by account',
      query: `query ($from: Float!) { leaderboard(first: 100, where: { points: { gte: $from } },
        orderBy: USER) { nodes { user { address } points rank } } }`,
      variants: [1, 50, 100].map((from) => ({ variables: { from }, values: [from] })),
      sql:
        'SELECT user_address, points / 1e6::float8, rank FROM account WHERE points >= $1 * 1e6 ' +
        'ORDER BY user_address LIMIT 100',
      rows: (data) => data.leaderboard.nodes.map(row('user.address', 'points', 'rank')),
    },
    {
      name: 'series of a user by week',
      query: `query ($user: Address!) { user(address: $user) {
        series(interval: WEEK) { start points positionCount } } }`,
      variants: some(users).map((user) => ({ variables: { user }, values: [user] })),
      sql: `WITH week AS (SELECT date_trunc('week', date::timestamp)::date AS start,
        max(date) AS last
          FROM distribution GROUP BY 1)
        SELECT start::text, (SELECT coalesce(sum(points), 0) / 1e6::float8 FROM account_day d
        WHERE d.user_address = $1
            AND d.distribution_date >= start AND d.distribution_date < start + 7),
          p.count
        FROM week CROSS JOIN LATERAL (SELECT count(*)::int FROM position WHERE user_address = $1
        AND distribution_date = last) p ORDER BY 1`,
      rows: (data) => data.user.series.map(row('start', 'points', 'positionCount')),
    },
    {
      name: 'series of a pool by day',
      query:
        'query ($pool: Address!) { pool(address: $pool) { series { start points tvlUsd ' +
        'borrowedUsd } } }',
      variants: some(pools).map((pool) => ({ variables: { pool }, values: [pool] })),
      sql: `SELECT distribution_date::text, (a_points + b_points) / 1e6::float8,
          a_supplied_usd + b_supplied_usd + a_protected_usd + b_protected_usd,
          a_borrowed_usd + b_borrowed_usd
        FROM pool_day WHERE pool_address = $1 ORDER BY 1`,
      rows: (data) => data.pool.series.map(row('start', 'points', 'tvlUsd', 'borrowedUsd')),
    },
    {
      name: 'series of the program by day',
      query: `{ program { series { start points tvlUsd borrowedUsd userCount } } }`,
      variants: [{ variables: {}, values: [] }],
      sql: `SELECT date::text, total_points / 1e6::float8, d.tvl, d.borrowed, account_count
        FROM distribution JOIN (
          SELECT distribution_date AS date, sum(a_supplied_usd + b_supplied_usd + a_protected_usd +
          b_protected_usd) AS tvl,
            sum(a_borrowed_usd + b_borrowed_usd) AS borrowed FROM pool_day
            GROUP BY 1) d USING (date) ORDER BY 1`,
      rows: (data) =>
        data.program.series.map(row('start', 'points', 'tvlUsd', 'borrowedUsd', 'userCount')),
    },
    {
      name: 'series of the three tokens with the most points',
      query:
        '{ series(groupBy: ASSET, first: 3) { key { asset { address } } buckets { start points ' +
        'suppliedUsd borrowedUsd } } }',
      variants: [{ variables: {}, values: [] }],
      sql: `WITH day AS (SELECT asset, distribution_date, sum(points) AS points,
        sum(supplied) AS supplied,
            sum(borrowed) AS borrowed
          FROM pool_day CROSS JOIN LATERAL (VALUES (a_token_address, a_points, a_supplied_usd,
          a_borrowed_usd),
            (b_token_address, b_points, b_supplied_usd, b_borrowed_usd)) side(asset, points,
            supplied, borrowed)
          GROUP BY 1, 2),
        top AS (SELECT asset, sum(points) AS total FROM day GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3)
        SELECT asset, distribution_date::text, points / 1e6::float8, supplied, borrowed FROM top
        JOIN day USING (asset)
        ORDER BY total DESC, asset, 2`,
      rows: ({ series }) =>
        series.flatMap(
          ({
            key,
            buckets,
          }: {
            key: { asset: { address: string } }
            buckets: Record<string, unknown>[]
          }) =>
            buckets.map((bucket) => [
              key.asset.address,
              ...row('start', 'points', 'suppliedUsd', 'borrowedUsd')(bucket),
            ]),
        ),
    },
    {
      name: "aggregate: a user's positions by pool and month",
      query: `query ($users: [Address!]) { positionAggregates(where: { users: $users },
        groupBy: [POOL, MONTH],
        orderBy: SUM_POINTS
        orderDirection: DESC) { key { start pool { address } } count sumPoints averageSuppliedUsd }
        }`,
      variants: some(users).map((user) => ({ variables: { users: [user] }, values: [user] })),
      sql: `SELECT date_trunc('month', t.distribution_date::timestamp)::date::text, t.pool_address,
        count(*)::int,
          sum(${POINTS}), avg(${SUPPLIED})
        FROM ${POSITIONS} WHERE t.user_address = $1 GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2 LIMIT 100`,
      rows: ({ positionAggregates }) =>
        positionAggregates.map(
          ({ key, count, sumPoints, averageSuppliedUsd }: { key: Row } & Row) => [
            ...row('start')(key),
            (key.pool as Row).address,
            count,
            sumPoints,
            averageSuppliedUsd,
          ],
        ),
    },
    {
      name: 'aggregate: the ranking of a week',
      query: `query ($from: Date!, $to: Date!) { positionAggregates(where: { date: { gte: $from,
        lte: $to } },
        groupBy: [USER], orderBy: SUM_POINTS, orderDirection: DESC, first: 10) { key { user {
        address } } count sumPoints } }`,
      variants: [3, 11, 20].map((from) => ({
        variables: { from: day(from), to: day(from + 6) },
        values: [day(from), day(from + 6)],
      })),
      sql: `SELECT user_address, count(*)::int, sum(points_a + points_b) / 1e6::float8 FROM position
        WHERE distribution_date BETWEEN $1 AND $2 GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT 10`,
      rows: ({ positionAggregates }) =>
        positionAggregates.map(
          ({ key, count, sumPoints }: { key: { user: { address: string } } } & Row) => [
            key.user.address,
            count,
            sumPoints,
          ],
        ),
    },
    {
      name: "aggregate: a user's market snapshots by market",
      query: `query ($users: [Address!]) { snapshotAggregates(where: { users: $users,
        entityTypes: MARKET }, groupBy: [ENTITY]) {
        key { entity { address } } count averageSuppliedUsd averageBorrowedUsd } }`,
      variants: names.many
        .slice(0, 8)
        .map((user) => ({ variables: { users: [user] }, values: [user] })),
      sql: `SELECT market_id, count(*)::int, avg(collateral_usd), avg(debt_usd) FROM market_snapshot
        WHERE user_address = $1 GROUP BY 1`,
      rows: ({ snapshotAggregates }) =>
        snapshotAggregates.map(({ key, ...of }: { key: Row } & Row) => [
          (key.entity as Row).address,
          ...row('count', 'averageSuppliedUsd', 'averageBorrowedUsd')(of),
        ]),
      unordered: true,
    },
    {
      name: 'as of: the leaderboard, top 100',
      query:
        'query ($asOf: Date!) { leaderboard(scope: { asOf: $asOf }, first: 100) { nodes { ' +
        'user { address } points rank } } }',
      variants: asOf.map((date) => ({ variables: { asOf: date }, values: [date] })),
      sql:
        'SELECT user_address, points / 1e6::float8, rank FROM rank_history WHERE ' +
        'distribution_date = $1 ORDER BY rank LIMIT 100',
      rows: (data) => data.leaderboard.nodes.map(row('user.address', 'points', 'rank')),
    },
    {
      name: 'as of: the points and the rank of a user',
      query:
        'query ($user: Address!, $asOf: Date!) { user(address: $user) { points: ' +
        'totalPoints(asOf: $asOf) rank(asOf: $asOf) } }',
      variants: some(users).map((user, i) => ({
        variables: { user, asOf: asOf[i % asOf.length] },
        values: [asOf[i % asOf.length], user],
      })),
      sql:
        'SELECT points / 1e6::float8, rank FROM rank_history WHERE distribution_date = $1 AND ' +
        'user_address = $2',
      rows: (data) => [row('points', 'rank')(data.user)],
    },
    {
      name: 'now: the pools with the most TVL',
      query: `{ pools(first: 20, orderBy: TVL_USD, orderDirection: DESC) {
        nodes { address tvlUsd suppliedUsd borrowedUsd
        points: totalPoints } } }`,
      variants: [{ variables: {}, values: [] }],
      sql: `SELECT p.id, coalesce(d.tvl, 0), coalesce(d.supplied, 0), coalesce(d.borrowed, 0),
        coalesce(t.points, 0) / 1e6::float8
        FROM pool p LEFT JOIN pool_total t ON t.pool_address = p.id LEFT JOIN (SELECT pool_address,
            a_supplied_usd + b_supplied_usd + a_protected_usd + b_protected_usd AS tvl,
            a_supplied_usd + b_supplied_usd AS supplied, a_borrowed_usd + b_borrowed_usd AS borrowed
          FROM pool_day WHERE distribution_date = '${NEWEST}') d ON d.pool_address = p.id
        ORDER BY 2 DESC, p.number, p.id LIMIT 20`,
      rows: (data) =>
        data.pools.nodes.map(row('address', 'tvlUsd', 'suppliedUsd', 'borrowedUsd', 'points')),
    },
    {
      name: 'now: the net worth of 100 users',
      query:
        'query ($addresses: [Address!]!) { users(where: { addresses: $addresses }) { nodes { ' +
        'address worth { suppliedUsd borrowedUsd netUsd } } } }',
      variants: [0, 100].map((from) => ({
        variables: { addresses: wallets(from, 100) },
        values: [wallets(from, 100)],
      })),
      sql: `SELECT u.address, sum(h.supplied), sum(h.borrowed),
        sum(h.supplied + h.others - h.borrowed)
        FROM unnest($1::text[]) AS u(address) LEFT JOIN LATERAL (
          SELECT coalesce(collateral_usd, 0) AS supplied, coalesce(protected_usd, 0) AS others,
          coalesce(debt_usd, 0) AS borrowed
          FROM market_holding WHERE user_address = u.address
          UNION ALL SELECT 0, coalesce(assets_usd, 0), 0 FROM vault_holding
          WHERE user_address = u.address) h ON true
        GROUP BY 1 ORDER BY 1`,
      rows: (data) =>
        data.users.nodes.map(({ address, worth }: { address: string; worth: Row | null }) => [
          address,
          ...row(
            'suppliedUsd',
            'borrowedUsd',
            'netUsd',
          )(worth ?? { suppliedUsd: null, borrowedUsd: null, netUsd: null }),
        ]),
    },
    {
      name: 'vaults by TVL, with their totals',
      query:
        '{ vaults(first: 20, orderBy: TVL_USD, orderDirection: DESC) { nodes { address tvlUsd ' +
        'userCount totalAssets { raw } } } }',
      variants: [{ variables: {}, values: [] }],
      sql: `SELECT v.id, CASE WHEN d.unpriced = 0 THEN d.assets_usd::float8 END, d.user_count,
        d.assets::text
        FROM vault v LEFT JOIN LATERAL (SELECT * FROM vault_day d WHERE d.chain_id = v.chain_id
        AND d.vault_id = v.id
          ORDER BY date DESC LIMIT 1) d ON true ORDER BY 2 DESC NULLS LAST, v.chain_id, v.id
          LIMIT 20`,
      rows: ({ vaults }) =>
        vaults.nodes.map(({ totalAssets, ...vault }: Row) => [
          ...row('address', 'tvlUsd', 'userCount')(vault),
          (totalAssets as Row).raw,
        ]),
    },
    {
      name: 'earn: what an amount earns in the 20 largest markets',
      query: `query ($usd: Float!) { markets(first: 20, orderBy: TVL_USD, orderDirection: DESC) {
        nodes { address estimate(amountUsd: $usd, days: 90) { interestUsd points } } } }`,
      variants: [250, 1000].map((usd) => ({ variables: { usd }, values: [usd] })),
      sql: `SELECT t.id, $1::float8 * t.deposit_rate * 90 / 365, coalesce(round($1::float8
          * CASE t.id WHEN p.unit_1_id THEN m.deposit_token_a
          ELSE m.deposit_token_b END * 1e6), 0)::float8 * 90 / 1e6
        FROM market t JOIN pool p ON p.id = t.pool_address AND p.chain_id = t.chain_id
        LEFT JOIN multiplier m ON m.pool_address = p.id
        LEFT JOIN pool_day d ON d.pool_address = p.id AND d.distribution_date = (SELECT max(date)
        FROM distribution)
        ORDER BY CASE t.id WHEN p.unit_1_id THEN d.a_supplied_usd + d.a_protected_usd
        ELSE d.b_supplied_usd + d.b_protected_usd END DESC NULLS LAST,
          t.chain_id, t.id LIMIT 20`,
      rows: ({ markets }) =>
        markets.nodes.map(({ address, estimate }: Row) => [
          address,
          ...row('interestUsd', 'points')(estimate as Row),
        ]),
    },
    {
      name: 'points per day of a user, by position',
      query: `query ($user: Address!) { user(address: $user) { pointsPerDay
        currentPositions { nodes { poolAddress pointsPerDay } } } }`,
      variants: some(users).map((user) => ({ variables: { user }, values: [user] })),
      sql: `SELECT sum(points) OVER (), pool_address, points FROM (
          SELECT t.id, t.pool_address, (coalesce(round((m.deposit_token_a * (t.a_supplied_amount_usd
                + CASE WHEN t.b_borrowed_amount_usd > 0 THEN t.a_protected_supplied_amount_usd
                ELSE 0 END)
              + 0.5 * m.borrow_token_a * t.a_borrowed_amount_usd) * 1e6), 0)
            + coalesce(round((m.deposit_token_b * (t.b_supplied_amount_usd
                + CASE WHEN t.a_borrowed_amount_usd > 0 THEN t.b_protected_supplied_amount_usd
                ELSE 0 END)
              + 0.5 * m.borrow_token_b * t.b_borrowed_amount_usd) * 1e6), 0)) / 1e6 AS points
          FROM ${POSITIONS} LEFT JOIN multiplier m ON m.pool_address = t.pool_address
          WHERE t.user_address = $1 AND t.distribution_date = (SELECT max(date)
          FROM distribution)) t ORDER BY id`,
      rows: ({ user }) =>
        user.currentPositions.nodes.map((one: Row) => [
          user.pointsPerDay,
          one.poolAddress,
          one.pointsPerDay,
        ]),
    },
    {
      name: 'now: what changed for 100 users in a week',
      query: `query ($addresses: [Address!]!) { users(where: { addresses: $addresses }) {
        nodes { address
        change(days: 7) { points rank } } } }`,
      variants: [0, 100].map((from) => ({
        variables: { addresses: wallets(from, 100) },
        values: [wallets(from, 100)],
      })),
      sql: `SELECT u.address, (SELECT coalesce(sum(points), 0) / 1e6::float8 FROM account_day
            WHERE user_address = u.address AND distribution_date > '${WEEK_AGO}'),
          (SELECT s.rank - a.rank FROM account a JOIN rank_history s USING (user_address)
            WHERE a.user_address = u.address AND s.distribution_date = '${WEEK_AGO}')
        FROM unnest($1::text[]) AS u(address) ORDER BY u.address`,
      rows: (data) =>
        data.users.nodes.map(({ address, change }: { address: string; change: Row }) => [
          address,
          ...row('points', 'rank')(change),
        ]),
    },
    {
      name: 'now: the 50 positions nearest to liquidation',
      query: `{ currentPositions(first: 50, where: { healthFactor: { lt: 1.1 } },
        orderBy: HEALTH_FACTOR) {
        nodes { legacy { recordId } healthFactor } } }`,
      variants: [{ variables: {}, values: [] }],
      sql: `SELECT t.id, (a_supplied_amount_usd + a_protected_supplied_amount_usd) *
        a.liquidation_threshold / b_borrowed_amount_usd AS health
        FROM position t JOIN pool p ON p.id = t.pool_address
        JOIN market a ON a.chain_id = p.chain_id AND a.id = p.unit_1_id
        WHERE distribution_date = '${NEWEST}' AND b_borrowed_amount_usd > 0
          AND (a_supplied_amount_usd + a_protected_supplied_amount_usd) * a.liquidation_threshold /
          b_borrowed_amount_usd < 1.1
        ORDER BY health, t.id LIMIT 50`,
      rows: (data) => data.currentPositions.nodes.map(recordRow('healthFactor')),
    },
    {
      name: 'risk: the 20 positions that fall first if a token loses 12 %',
      query: `query ($asset: Address!) { currentPositions(first: 20, orderBy: LIQUIDATION_DROP,
          where: { collateralAssets: [$asset], liquidationDrop: { lte: 0.12 } }) {
        nodes { legacy { recordId } liquidationDrop user { address }
          sideB { borrowed { usd } } } } }`,
      variants: some(aTokens).map((asset) => ({ variables: { asset }, values: [asset] })),
      sql: `SELECT id, 1 - 1 / health, user_address, b_borrowed_amount_usd FROM (
          SELECT t.id, t.user_address, t.b_borrowed_amount_usd,
            (a_supplied_amount_usd + a_protected_supplied_amount_usd) * a.liquidation_threshold /
            b_borrowed_amount_usd AS health
          FROM pool u JOIN position t ON t.pool_address = u.id AND t.distribution_date = '${NEWEST}'
          JOIN market a ON a.id = u.unit_1_id
          WHERE u.asset_1_address = $1 AND t.a_token_address = $1 AND b_borrowed_amount_usd > 0) t
        WHERE 1 - 1 / health <= 0.12 ORDER BY 1 - 1 / health, id LIMIT 20`,
      rows: (data) =>
        data.currentPositions.nodes.map(({ sideB, ...of }: any) => [
          ...recordRow('liquidationDrop', 'user.address')(of),
          sideB.borrowed.usd,
        ]),
    },
    {
      name: 'risk: what a fall of a token by 12 % would liquidate in all pools',
      query:
        'query ($asset: Address!) { collateralAtRisk(shocks: { asset: $asset, change: -0.12 }) ' +
        '{ positionCount collateralUsd debtUsd } }',
      variants: some(aTokens).map((asset) => ({ variables: { asset }, values: [asset] })),
      sql: `SELECT count(*)::int, sum(collateral), sum(debt) FROM (
          SELECT a_supplied_amount_usd + a_protected_supplied_amount_usd AS collateral,
            b_borrowed_amount_usd AS debt, a.liquidation_threshold *
              CASE WHEN u.asset_1_address = $1 THEN 0.88 ELSE 1 END AS threshold
          FROM pool u JOIN position t ON t.pool_key = u.key AND t.distribution_date = '${NEWEST}'
          JOIN market a ON a.id = u.unit_1_id WHERE b_borrowed_amount_usd > 0) t
        WHERE collateral * threshold <= debt`,
      rows: (data) => data.collateralAtRisk.map(row('positionCount', 'collateralUsd', 'debtUsd')),
    },
    {
      name: "a week's leaderboard, top 100",
      query:
        'query ($from: Date!, $to: Date!) { leaderboard(scope: { window: { from: $from, to: $to ' +
        '} }, first: 100) { nodes { user { address } points rank } } }',
      variants: [DAYS - 7, 3].map((nth) => {
        const [from, to] = [day(nth), day(nth + 6)]
        return { variables: { from, to }, values: [from, to] }
      }),
      sql: `SELECT user_address, sum(points) / 1e6::float8,
        (row_number() OVER (ORDER BY sum(points) DESC, user_address))::int
        FROM account_day WHERE distribution_date BETWEEN $1 AND $2 GROUP BY 1 ORDER BY 3 LIMIT 100`,
      rows: (data) => data.leaderboard.nodes.map(row('user.address', 'points', 'rank')),
    },
    {
      name: "a user's activity",
      query:
        'query ($user: Address!) { user(address: $user) { activity(first: 100) { nodes { kind ' +
        'txHash logIndex amount { usd } } } } }',
      variants: some(users).map((user) => ({ variables: { user }, values: [user] })),
      sql: `SELECT upper(kind), tx_hash, log_index::int, amount_usd FROM (
          SELECT kind::text, tx_hash, log_index, amount_usd, timestamp FROM cash_flow
          WHERE user_address = $1
          UNION ALL SELECT 'liquidation_reward', tx_hash, log_index, liquid_reward_usd, timestamp
          FROM market_liquidation_reward WHERE user_address = $1
          UNION ALL SELECT 'liquidation_reward', tx_hash, log_index, liquid_reward_usd, timestamp
          FROM vault_liquidation_reward WHERE user_address = $1) a
        ORDER BY timestamp DESC, log_index DESC, tx_hash LIMIT 100`,
      rows: (data) =>
        data.user.activity.nodes.map(({ amount, ...node }: { amount: { usd: number | null } }) =>
          row('kind', 'txHash', 'logIndex', 'amountUsd')({ ...node, amountUsd: amount.usd }),
        ),
      // A reward in a market and one in a vault may have the same transaction.
      unordered: true,
    },
    {
      name: 'now: the prices of all assets',
      query: '{ assets(first: 1000) { nodes { chainId address price { usd date } } } }',
      variants: [{ variables: {}, values: [] }],
      sql: `SELECT a.chain_id::int, a.asset, n.price, n.distribution_date::text
        FROM (SELECT chain_id, asset_1_address AS asset FROM pool UNION
        SELECT chain_id, asset_2_address FROM pool
          UNION SELECT chain_id, asset_address FROM market UNION SELECT chain_id, asset_address
          FROM vault) a
        LEFT JOIN LATERAL (SELECT n.* FROM pool p CROSS JOIN LATERAL (SELECT distribution_date, id,
            CASE WHEN p.asset_1_address = a.asset THEN a_token_price ELSE b_token_price END AS price
          FROM position WHERE pool_address = p.id ORDER BY distribution_date DESC, id LIMIT 1) n
          WHERE p.chain_id = a.chain_id AND a.asset IN (p.asset_1_address, p.asset_2_address)
          ORDER BY n.distribution_date DESC, n.id LIMIT 1) n ON true ORDER BY 1, 2`,
      rows: (data) =>
        data.assets.nodes.map(
          ({
            chainId,
            address,
            price,
          }: {
            chainId: number
            address: string
            price: Row | null
          }) => [chainId, address, ...(price ? row('usd', 'date')(price) : [null, null])],
        ),
    },
    {
      name: 'as of: the totals of 40 pools',
      query: `query ($asOf: Date!) { pools(first: 40) { nodes { address totals(asOf: $asOf) {
        points: totalPoints pointsOfDate: points positionCount tvlUsd borrowedUsd } } } }`,
      variants: asOf.map((date) => ({ variables: { asOf: date }, values: [date] })),
      sql: `SELECT p.id, sum(d.a_points + d.b_points) / 1e6::float8,
        sum((d.a_points + d.b_points) / 1e6::float8) FILTER (WHERE d.distribution_date = $1),
          (sum(d.position_count) FILTER (WHERE d.distribution_date = $1))::int,
          sum(d.a_supplied_usd + d.b_supplied_usd + d.a_protected_usd + d.b_protected_usd)
            FILTER (WHERE d.distribution_date = $1),
          sum(d.a_borrowed_usd + d.b_borrowed_usd) FILTER (WHERE d.distribution_date = $1)
        FROM (SELECT id, number FROM pool ORDER BY number, id LIMIT 40) p
        JOIN pool_day d ON d.pool_address = p.id AND d.distribution_date <= $1
        GROUP BY p.number, p.id ORDER BY p.number, p.id`,
      rows: (data) =>
        data.pools.nodes.map(({ address, totals }: { address: string; totals: Row }) => [
          address,
          ...row('points', 'pointsOfDate', 'positionCount', 'tvlUsd', 'borrowedUsd')(totals),
        ]),
    },
    {
      name: 'as of: the positions of a pool',
      query: `query ($pool: Address!, $asOf: Date!) { pool(address: $pool) {
        positions(asOf: $asOf, first: 100) { nodes { legacy { recordId } points } } } }`,
      variants: some(pools).map((pool, i) => ({
        variables: { pool, asOf: asOf[i % asOf.length] },
        values: [pool, asOf[i % asOf.length]],
      })),
      sql: `SELECT t.id, ${POINTS} FROM ${POSITIONS} WHERE t.pool_address = $1
        AND t.distribution_date = $2
        ORDER BY t.id LIMIT 100`,
      rows: (data) => data.pool.positions.nodes.map(recordRow('points')),
    },
    {
      name: 'as of: all multipliers',
      query: `query ($at: DateTime!) { multiplierRevisions(at: $at, first: 1000) {
        nodes { poolAddress depositA borrowB } } }`,
      variants: asOf.map((date) => ({ variables: { at: date }, values: [`${date}T00:00:00Z`] })),
      sql: `SELECT DISTINCT ON (pool_address) pool_address, deposit_token_a, borrow_token_b
        FROM multiplier_revision
        WHERE changed_at <= $1 ORDER BY pool_address, id DESC`,
      rows: (data) => data.multiplierRevisions.nodes.map(row('poolAddress', 'depositA', 'borrowB')),
    },
    {
      name: 'rank history of a user',
      query:
        'query ($user: Address!) { user(address: $user) { series { lastDate totalPoints rank } } ' +
        '}',
      variants: some(users).map((user) => ({ variables: { user }, values: [user] })),
      sql: `SELECT d.date::text, s.points / 1e6::float8, s.rank FROM distribution d
          JOIN rank_history s ON s.distribution_date = d.date AND s.user_address = $1
          WHERE d.date < '${NEWEST}'
        UNION ALL SELECT '${NEWEST}', points / 1e6::float8, rank FROM account
        WHERE user_address = $1 ORDER BY 1`,
      rows: (data) => data.user.series.map(row('lastDate', 'totalPoints', 'rank')),
    },
    {
      name: 'around an account',
      query:
        'query ($user: Address!) { leaderboard: leaderboardAround(user: $user, first: 7) { nodes ' +
        '{ user { address } points rank } } }',
      variants: some(users).map((user) => ({ variables: { user }, values: [user] })),
      sql: `SELECT user_address, points / 1e6::float8, rank FROM account
        WHERE rank > greatest(0, (SELECT rank FROM account WHERE user_address = $1) - 4)
        ORDER BY rank LIMIT 7`,
      rows: (data) => data.leaderboard.nodes.map(row('user.address', 'points', 'rank')),
    },
    {
      name: 'portfolio of ten wallets: their pools',
      query: `query ($addresses: [Address!]!) { portfolio(addresses: $addresses) {
        points: totalPoints bestRank
        pools { poolAddress userCount points suppliedUsd borrowedUsd } } }`,
      variants: [0, 40, 80].map((from) => ({
        variables: { addresses: wallets(from, 10) },
        values: [wallets(from, 10)],
      })),
      sql: `SELECT a.points, a.rank, t.* FROM (SELECT sum(points) / 1e6::float8 AS points,
        min(rank) AS rank FROM account
          WHERE user_address = ANY($1)) a
        CROSS JOIN (SELECT t.pool_address, count(*)::int, sum(${POINTS}) AS points,
        sum(${SUPPLIED}), sum(${BORROWED})
          FROM ${POSITIONS} WHERE t.user_address = ANY($1) AND t.distribution_date = '${NEWEST}'
          GROUP BY 1) t
        ORDER BY t.points DESC, t.pool_address`,
      rows: ({ portfolio }) =>
        portfolio.pools.map((pool: Row) => [
          portfolio.points,
          portfolio.bestRank,
          ...row('poolAddress', 'userCount', 'points', 'suppliedUsd', 'borrowedUsd')(pool),
        ]),
    },
    {
      name: 'users: up to 1,000',
      query:
        'query ($addresses: [Address!]!) { users(first: 1000, where: { addresses: $addresses }) ' +
        '{ nodes { address points: totalPoints rank } } }',
      variants: [
        { variables: { addresses: users.slice(0, 1000) }, values: [users.slice(0, 1000)] },
      ],
      sql: USERS,
      rows: (data) => data.users.nodes.map(row('address', 'points', 'rank')),
      // The list is by address.
      unordered: true,
    },
    {
      name: 'lookupUsers: up to 1,000',
      query:
        'query ($addresses: [Address!]!) { lookupUsers(addresses: $addresses) { address points: ' +
        'totalPoints rank } }',
      variants: [
        { variables: { addresses: users.slice(0, 1000) }, values: [users.slice(0, 1000)] },
      ],
      sql: USERS,
      rows: (data) => data.lookupUsers.map(row('address', 'points', 'rank')),
    },
    {
      name: 'search',
      query: `query ($text: String!) { search(text: $text, first: 100) { item {
        ... on Pool { address name } ... on Market { address asset { symbol } } ... on Vault {
        address assetName: name } } } }`,
      variants: ['a12', 'vault 1', 'b7'].map((text) => ({ variables: { text }, values: [text] })),
      sql: `SELECT id, name FROM pool WHERE strpos(lower(name), $1) > 0
        OR strpos(lower(asset_1_symbol), $1) > 0
          OR strpos(lower(asset_2_symbol), $1) > 0 OR strpos(lower(asset_1_name), $1) > 0
          OR strpos(lower(asset_2_name), $1) > 0 OR starts_with(id, $1)
        UNION ALL SELECT id, asset_symbol FROM market WHERE strpos(lower(asset_symbol), $1) > 0
        OR starts_with(id, $1)
        UNION ALL SELECT id, name FROM vault WHERE strpos(lower(name), $1) > 0
        OR strpos(lower(asset_symbol), $1) > 0
          OR starts_with(id, $1)`,
      rows: ({ search }) =>
        search.map(({ item }: { item: Row }) => [
          item.address,
          item.name ?? (item.asset as Row | undefined)?.symbol ?? item.assetName,
        ]),
      unordered: true,
    },
  ]
}

type Row = Record<string, unknown>

const USERS = `SELECT o.address, coalesce(a.points, 0) / 1e6::float8, a.rank
  FROM unnest($1::text[]) WITH ORDINALITY AS o(address, place)
  LEFT JOIN account a ON a.user_address = o.address ORDER BY o.place`
