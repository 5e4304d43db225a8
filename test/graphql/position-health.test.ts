import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oneServer } from '../../src/db/dialect.ts'
import { positionsUpTo } from '../../src/domain/position/health.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { type Gateway, onCitus, startGateway } from '../support/gateway.ts'
import { importFiles, midnight, pool, position } from '../support/one-pool.ts'

const DAYS = ['2026-03-01', '2026-03-02'] as const
const NEWEST = DAYS[1]
const address = (prefix: string, n: number) =>
  `0x${prefix}${n.toString(16).padStart(40 - prefix.length, '0')}`
const USERS = Array.from({ length: 40 }, (_, n) => address('a', n))

/**
 * The thresholds of the markets of A and B. Undefined if the record has none, null if the market is
 * not stored.
 */
const THRESHOLDS: [number | undefined | null, number | undefined | null][] = [
  [0.8, 0.9],
  [0.65, undefined],
  [undefined, undefined],
  [0, 0.5],
  [null, 0.75],
]
const MAX_LTVS: typeof THRESHOLDS = [
  [0.75, 0.85],
  [0.6, undefined],
  [undefined, 0.7],
  [0, 0.4],
  [null, 0.7],
]
const POOLS = THRESHOLDS.map((_, n) => ({
  ...pool,
  id: address('b', n),
  marketId: n,
  unit_1_id: address('c', 2 * n),
  unit_2_id: address('c', 2 * n + 1),
}))
const market = (n: number, side: 0 | 1, more: object = {}) => ({
  chainId: pool.chainId,
  id: side === 0 ? POOLS[n]?.unit_1_id : POOLS[n]?.unit_2_id,
  poolId: POOLS[n]?.id,
  assetAddress: side === 0 ? pool.asset_1_address : pool.asset_2_address,
  assetSymbol: side === 0 ? 'S' : 'USDC',
  assetDecimals: 18,
  depositRate: 0,
  borrowRate: 0,
  ...more,
})
const markets = THRESHOLDS.flatMap((sides, n) =>
  sides.flatMap((liquidationThreshold, side) => {
    const maxLtv = MAX_LTVS[n]?.[side]
    const risk = {
      ...(liquidationThreshold !== undefined && { liquidationThreshold }),
      ...(maxLtv !== undefined && { maxLtv }),
    }
    return liquidationThreshold === null ? [] : [market(n, side as 0 | 1, risk)]
  }),
)

type Amounts = [supplied: number, protectedSupply: number, borrowed: number]

const side = (name: 'a' | 'b', price: number, [supplied, protectedSupply, borrowed]: Amounts) => ({
  [`${name}TokenPrice`]: price,
  [`${name}SuppliedAmount`]: supplied,
  [`${name}SuppliedAmountUsd`]: supplied * price,
  [`${name}ProtectedSuppliedAmount`]: protectedSupply,
  [`${name}ProtectedSuppliedAmountUsd`]: protectedSupply * price,
  [`${name}BorrowedAmount`]: borrowed,
  [`${name}BorrowedAmountUsd`]: borrowed * price,
})

/** Amounts of A and B: debt on either side, on both, on none; without collateral; ties. */
const AMOUNTS: [Amounts, Amounts][] = [
  [
    [1000, 0, 0],
    [0, 0, 700],
  ],
  [
    [900, 100, 0],
    [0, 0, 700],
  ],
  [
    [0, 1000, 0],
    [50, 0, 800],
  ],
  [
    [0, 0, 300],
    [400, 0, 0],
  ],
  [
    [1000, 10, 333],
    [800, 0.1, 500],
  ],
  [
    [1000, 0, 0],
    [500, 0, 0],
  ],
  [
    [0, 0, 0],
    [0, 0, 0],
  ],
  [
    [0, 0, 0],
    [0, 0, 10],
  ],
  [
    [0, 0, 7],
    [0, 0, 10],
  ],
  [
    [1000, 0, 0],
    [0, 0, 0.000001],
  ],
  [
    [1e-9, 0, 0],
    [0, 0, 5e8],
  ],
  [
    [100, 0, 3],
    [7, 0, 0],
  ],
]
const PRICES = [
  [1, 1],
  [1.25, 0.3],
  [0, 1],
  [1, 0],
] as const

const records = DAYS.flatMap((day, d) =>
  USERS.flatMap((user, u) =>
    POOLS.flatMap(({ id }, p) => {
      const n = u + 5 * p + 7 * d
      if (n % 11 === 0) return []
      const [a, b] = AMOUNTS[n % AMOUNTS.length] as [Amounts, Amounts]
      const [priceA, priceB] = PRICES[Math.floor(n / AMOUNTS.length) % PRICES.length] as [
        number,
        number,
      ]
      return [
        {
          ...position(user, 0),
          id: `${day} ${String((u * 37) % 100).padStart(2, '0')} ${p}`,
          marketAddress: id,
          distributionDate: midnight(day),
          ...side('a', priceA, a),
          ...side('b', priceB, b),
        },
      ]
    }),
  ),
)

interface Row {
  id: string
  ltv: number | null
  healthFactor: number | null
  liquidationDrop: number | null
  liquidationPriceUsd: number | null
  liquidationDebtPriceUsd: number | null
  liquidationRatio: number | null
  borrowingPowerUsd: number | null
}
type Sided = Record<`${'a' | 'b'}${string}`, number>

/** The numbers of a record, one case after the other. */
function expected(record: (typeof records)[number]): Row {
  const amounts = record as unknown as Sided
  const thresholds = THRESHOLDS[POOLS.findIndex(({ id }) => id === record.marketAddress)] as (
    | number
    | undefined
    | null
  )[]
  const maxLtvs = MAX_LTVS[POOLS.findIndex(({ id }) => id === record.marketAddress)] ?? []
  let debt: number | null = 0
  let collateral: number | null = 0
  let weighted: number | null = 0
  let limit: number | null = 0
  for (const [n, name] of (['a', 'b'] as const).entries()) {
    const other = name === 'a' ? 'b' : 'a'
    const supplied =
      (amounts[`${name}SuppliedAmount`] as number) +
      (amounts[`${name}ProtectedSuppliedAmount`] as number)
    const suppliedUsd =
      (amounts[`${name}SuppliedAmountUsd`] as number) +
      (amounts[`${name}ProtectedSuppliedAmountUsd`] as number)
    const borrowedUsd = amounts[`${name}BorrowedAmountUsd`] as number
    const isUnpriced = (amount: number, usd: number) => amount > 0 && usd === 0
    if (isUnpriced(amounts[`${name}BorrowedAmount`] as number, borrowedUsd)) debt = null
    else if (debt !== null) debt += borrowedUsd
    if ((amounts[`${other}BorrowedAmountUsd`] as number) <= 0 || supplied === 0) continue
    const threshold = thresholds[n]
    const maxLtv = threshold === null ? null : maxLtvs[n]
    if (isUnpriced(supplied, suppliedUsd)) collateral = null
    else if (collateral !== null) collateral += suppliedUsd
    if (isUnpriced(supplied, suppliedUsd) || threshold === undefined || threshold === null)
      weighted = null
    else if (weighted !== null) weighted += suppliedUsd * threshold
    if (isUnpriced(supplied, suppliedUsd) || maxLtv === undefined || maxLtv === null) limit = null
    else if (limit !== null) limit += suppliedUsd * maxLtv
  }
  const owes = debt !== null && debt > 0 ? debt : null
  const healthFactor = owes !== null && weighted !== null ? weighted / owes : null
  const inDebt = (['a', 'b'] as const).filter(
    (name) => (amounts[`${name}BorrowedAmountUsd`] as number) > 0,
  )
  const price =
    inDebt.length === 1 ? (amounts[`${inDebt[0] === 'a' ? 'b' : 'a'}TokenPrice`] as number) : 0
  const debtPrice = inDebt.length === 1 ? (amounts[`${inDebt[0] as 'a'}TokenPrice`] as number) : 0
  return {
    id: btoa(`Position:${record.id}`),
    ltv: owes !== null && collateral ? owes / collateral : null,
    healthFactor,
    liquidationDrop: healthFactor ? 1 - 1 / healthFactor : null,
    liquidationPriceUsd: healthFactor && price ? price / healthFactor : null,
    liquidationDebtPriceUsd: healthFactor && debtPrice ? debtPrice * healthFactor : null,
    liquidationRatio: healthFactor && price && debtPrice ? price / debtPrice / healthFactor : null,
    borrowingPowerUsd: owes !== null && limit !== null ? limit - owes : null,
  }
}

const recordById = new Map(records.map((record) => [record.id, record]))
const all = new Map(records.map((record) => [record.id, expected(record)]))
const recordOf = ({ id }: { id: string }) => atob(id).slice('Position:'.length)
const byId = (one: Row, other: Row) => (recordOf(one) < recordOf(other) ? -1 : 1)
const on = (day: string) =>
  [...all.values()].filter((row) => recordOf(row).startsWith(day)).sort(byId)
const rowsOf = (keep: (record: (typeof records)[number]) => boolean) =>
  records
    .filter(keep)
    .map(({ id }) => all.get(id) as Row)
    .sort(byId)
/** In the order of a field, nulls last, ties by id. */
const inOrderOf = (field: 'ltv' | 'healthFactor' | 'liquidationDrop', rows: Row[], sign = 1) =>
  [...rows].sort((one, other) => {
    const [x, y] = [one[field], other[field]]
    if (x === y) return byId(one, other)
    if (x === null) return 1
    return y === null ? -1 : sign * (x - y)
  })
const below = (most: number, rows: Row[]) =>
  rows.filter(({ healthFactor }) => healthFactor !== null && healthFactor < most)

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  await importFiles(gateway, { pools: POOLS, markets, positions: records })
})
afterAll(() => gateway.close())

const FIELDS =
  'id ltv healthFactor liquidationDrop liquidationPriceUsd liquidationDebtPriceUsd liquidationRatio borrowingPowerUsd'
const failure = async (query: string) => (await gateway.graphql(query)).errors?.[0]

test('the numbers of every position are those of the formulas', async () => {
  expect(new Set([...all.values()].map(({ ltv }) => ltv === null)).size).toBe(2)
  const { currentPositions } = await gateway.ask(
    `{ currentPositions(first: 1000) { totalCount nodes { ${FIELDS} } } }`,
  )
  expect(currentPositions.nodes).toEqual(on(NEWEST))
  expect(currentPositions.totalCount).toBe(on(NEWEST).length)
  // Resolved: a node is loaded by its id.
  const { positions } = await gateway.ask(
    `{ positions(first: 1000, asOf: "${DAYS[0]}") { nodes { ${FIELDS} multiplierUsed { changedAt } } } }`,
  )
  const nodes = positions.nodes.map(
    ({ multiplierUsed: _, ...row }: { multiplierUsed: null }) => row,
  )
  expect(nodes).toEqual(on(DAYS[0]))
  for (const { id } of positions.nodes.slice(0, 20)) {
    const { node } = await gateway.ask(
      `query ($id: ID!) { node(id: $id) { ... on Position { ${FIELDS} } } }`,
      { id },
    )
    expect(node).toEqual(all.get(recordOf(node)))
  }
})

test('some are known, zero, below 1, and null for each reason', () => {
  const at = (
    n: number,
    amounts: [Amounts, Amounts],
    prices: readonly [number, number] = [1, 1],
  ) => {
    const record = {
      ...position(USERS[0] as string, 0),
      id: 'x',
      marketAddress: POOLS[n]?.id ?? '',
    }
    const { ltv, healthFactor } = expected({
      ...record,
      ...side('a', prices[0], amounts[0]),
      ...side('b', prices[1], amounts[1]),
    } as (typeof records)[number])
    return [ltv, healthFactor]
  }
  expect(
    at(0, [
      [900, 100, 0],
      [0, 0, 500],
    ]),
  ).toEqual([0.5, 1.6])
  expect(
    at(0, [
      [100, 0, 50],
      [200, 0, 50],
    ]),
  ).toEqual([1 / 3, 2.6])
  expect(
    at(0, [
      [900, 100, 0],
      [9, 0, 0],
    ]),
  ).toEqual([null, null])
  expect(
    at(2, [
      [0, 0, 0],
      [0, 0, 500],
    ]),
  ).toEqual([null, 0])
  expect(
    at(1, [
      [0, 0, 100],
      [400, 0, 0],
    ]),
  ).toEqual([0.25, null])
  expect(
    at(4, [
      [400, 0, 0],
      [0, 0, 100],
    ]),
  ).toEqual([0.25, null])
  expect(
    at(
      0,
      [
        [400, 0, 0],
        [0, 0, 100],
      ],
      [0, 1],
    ),
  ).toEqual([null, null])
  expect(
    at(
      0,
      [
        [400, 0, 0],
        [0, 0, 100],
      ],
      [1, 0],
    ),
  ).toEqual([null, null])
})

describe('lists', () => {
  const owners: [string, string, Row[]][] = [
    [
      'a user',
      `user(address: "${USERS[3]}")`,
      rowsOf((r) => r.userAddress === USERS[3] && r.id.startsWith(NEWEST)),
    ],
    [
      'a pool',
      `pool(address: "${POOLS[0]?.id}")`,
      rowsOf((r) => r.marketAddress === POOLS[0]?.id && r.id.startsWith(NEWEST)),
    ],
  ]
  test.each(owners)(
    'current positions of %s are filtered and sorted by both',
    async (_, owner, rows) => {
      expect(rows.length).toBeGreaterThan(2)
      const list = async (args: string) =>
        (
          await gateway.ask(
            `{ owner: ${owner} { currentPositions(first: 1000, ${args}) { nodes { ${FIELDS} } } } }`,
          )
        ).owner.currentPositions.nodes
      for (const [field, key] of [
        ['ltv', 'LTV'],
        ['healthFactor', 'HEALTH_FACTOR'],
        ['liquidationDrop', 'LIQUIDATION_DROP'],
      ] as const)
        for (const [direction, sign] of [
          ['ASC', 1],
          ['DESC', -1],
        ] as const)
          expect(await list(`orderBy: ${key}, orderDirection: ${direction}`)).toEqual(
            inOrderOf(field, rows, sign),
          )
      expect(await list('where: { healthFactor: { lt: 1.2 } }')).toEqual(below(1.2, rows))
      expect(await list('where: { ltv: { gte: 0.7 } }')).toEqual(
        rows.filter(({ ltv }) => ltv !== null && ltv >= 0.7),
      )
    },
  )

  const near = (day: string, most: number) => inOrderOf('healthFactor', below(most, on(day)))
  const ORDER = 'orderBy: HEALTH_FACTOR'

  test.each([0, 1e-12, 0.9, 1, 1.1, 1.6, 1000, 1e300])(
    'positions near liquidation: below %s',
    async (most) => {
      const where = `healthFactor: { lt: ${most} }`
      const data = await gateway.ask(`{
      now: currentPositions(first: 1000, where: { ${where} }, ${ORDER}) { totalCount nodes { ${FIELDS} } }
      plain: currentPositions(first: 1000, where: { ${where} }) { nodes { ${FIELDS} } }
      asOf: positions(asOf: "2026-03-02", first: 1000, where: { ${where} }, ${ORDER}) { nodes { ${FIELDS} } }
      before: positions(first: 1000, where: { ${where}, date: { eq: "${DAYS[0]}" } }, ${ORDER}) { nodes { ${FIELDS} } }
      dates: positions(first: 1000, where: { ${where}, date: { in: ["${NEWEST}"] } }) { nodes { ${FIELDS} } }
    }`)
      expect(data.now.nodes).toEqual(near(NEWEST, most))
      expect(data.now.totalCount).toBe(near(NEWEST, most).length)
      expect(data.plain.nodes).toEqual(below(most, on(NEWEST)))
      expect(data.asOf.nodes).toEqual(near(NEWEST, most))
      expect(data.before.nodes).toEqual(near(DAYS[0], most))
      expect(data.dates.nodes).toEqual(below(most, on(NEWEST)))
    },
  )

  /** Positions whose debt A backs. */
  const isBackedByA = ({ id }: Row) => {
    const amounts = recordById.get(recordOf({ id })) as unknown as Sided
    return (
      (amounts.bBorrowedAmountUsd as number) > 0 &&
      (amounts.aSuppliedAmount as number) + (amounts.aProtectedSuppliedAmount as number) > 0
    )
  }

  test.each([-1, 0, 0.12, 0.2, 0.5, 0.9995, 1, 7])(
    'positions that a drop of %s liquidates, first the nearest',
    async (most) => {
      const within = (day: string) =>
        inOrderOf(
          'liquidationDrop',
          on(day).filter(
            ({ liquidationDrop }) => liquidationDrop !== null && liquidationDrop <= most,
          ),
        )
      const where = `liquidationDrop: { lte: ${most} }`
      const byDrop = 'orderBy: LIQUIDATION_DROP'
      const data = await gateway.ask(`{
      now: currentPositions(first: 1000, where: { ${where} }, ${byDrop}) { totalCount nodes { ${FIELDS} } }
      ofA: currentPositions(first: 1000, where: { ${where}, collateralAssets: "${pool.asset_1_address}" }, ${byDrop}) { nodes { ${FIELDS} } }
      ofOther: currentPositions(first: 1000, where: { ${where}, collateralAssets: "${POOLS[0]?.id}" }, ${byDrop}) { nodes { ${FIELDS} } }
      before: positions(first: 1000, where: { ${where}, date: { eq: "${DAYS[0]}" } }, ${byDrop}) { nodes { ${FIELDS} } }
    }`)
      expect(data.now.nodes).toEqual(within(NEWEST))
      expect(data.now.totalCount).toBe(within(NEWEST).length)
      expect(data.ofA.nodes).toEqual(within(NEWEST).filter(isBackedByA))
      if (most > 0) expect(data.ofA.nodes.length).toBeGreaterThan(0)
      expect(data.ofOther.nodes).toEqual([])
      expect(data.before.nodes).toEqual(within(DAYS[0]))
    },
  )

  test('other bounds and conditions', async () => {
    const list = async (where: string) =>
      (
        await gateway.ask(
          `{ currentPositions(first: 1000, where: { ${where} }, ${ORDER}) { nodes { ${FIELDS} } } }`,
        )
      ).currentPositions.nodes
    const rows = inOrderOf('healthFactor', on(NEWEST))
    const matching = (match: (health: number) => boolean) =>
      rows.filter(({ healthFactor }) => healthFactor !== null && match(healthFactor))
    expect(matching((health) => health > 1).length).toBeGreaterThan(5)
    expect(await list('healthFactor: { lte: 0 }')).toEqual(matching((health) => health <= 0))
    expect(await list('healthFactor: { gt: 1 }')).toEqual(matching((health) => health > 1))
    expect(await list('healthFactor: { gte: 0.9, lt: 1.3, lte: 1.1 }')).toEqual(
      matching((health) => health >= 0.9 && health <= 1.1),
    )
    const inPool = (await list(`healthFactor: { lt: 2 }, pools: "${POOLS[0]?.id}"`)) as Row[]
    expect(inPool).toEqual(
      matching((health) => health < 2).filter((row) => recordOf(row).endsWith(' 0')),
    )
    const inPools = `healthFactor: { lt: 2 }, pools: ["${POOLS[0]?.id}", "${POOLS[2]?.id}"], assets: "${pool.asset_1_address}"`
    expect(await list(inPools)).toEqual(
      matching((health) => health < 2).filter((row) => / [02]$/.test(recordOf(row))),
    )
    const large = (await list('healthFactor: { lt: 2 }, borrowedUsd: { gte: 400 }')) as Row[]
    expect(large.length).toBeGreaterThan(0)
    expect(large.length).toBeLessThan(matching((health) => health < 2).length)
  })

  test('their pages follow each other, also among ties', async () => {
    const rows: Row[] = []
    for (let after: string | null = null; ; ) {
      const { currentPositions } = await gateway.ask(
        `query ($after: String) { currentPositions(first: 7, after: $after, where: { healthFactor: { lt: 1.6 } }, ${ORDER}) {
          nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } }`,
        { after },
      )
      rows.push(...currentPositions.nodes)
      after = currentPositions.pageInfo.endCursor
      if (!currentPositions.pageInfo.hasNextPage) break
    }
    expect(rows).toEqual(near(NEWEST, 1.6))
  })

  test.skipIf(onCitus)('an index gives those of a date', async () => {
    const client = await gateway.deps.store.pool.connect()
    try {
      await client.query('BEGIN; SET LOCAL enable_seqscan = off')
      const from = oneServer.write(positionsUpTo(1.1, Prisma.sql`${NEWEST}::date`))
      const plan = await client.query(`EXPLAIN SELECT 1 FROM ${from.text}`, from.values)
      const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(text).toMatch(
        /stored_position_coverage_idx.*\n.*Index Cond: .*pool_key.*distribution_date.*CASE.* <= /s,
      )
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })

  test('a date is needed', async () => {
    const where = 'where: { healthFactor: { lt: 1.1 } }'
    for (const query of [
      `{ positions(${where}) { nodes { id } } }`,
      `{ positions(${where}, ${ORDER}) { nodes { id } } }`,
      `{ currentPositions(${ORDER}) { nodes { id } } }`,
      `{ currentPositions(where: { healthFactor: { lt: null } }, ${ORDER}) { nodes { id } } }`,
      `{ positions(where: { healthFactor: { lt: 1.1 }, date: { gte: "${DAYS[0]}", lte: "${NEWEST}" } }, ${ORDER}) { nodes { id } } }`,
    ]) {
      const error = await failure(query)
      expect(error?.extensions.code, query).toBe('BAD_INPUT')
      expect(error?.message).toMatch(/where\.date/)
    }
  })

  test('reading all positions of a date costs more', async () => {
    const cost = async (args: string) => {
      const { extensions } = (await gateway.graphql(
        `{ currentPositions(first: 10 ${args}) { nodes { id } } }`,
        {},
        {
          'x-graphql-cost': '1',
        },
      )) as { extensions?: { cost: { requested: number } } }
      return extensions?.cost.requested
    }
    expect(await cost('')).toBe(600 + 11)
    expect(await cost('where: { healthFactor: { lt: 1 } }')).toBe(600 + 11 + 1001)
    expect(await cost('where: { OR: [{ NOT: { ltv: { lt: 1 } } }] }')).toBe(600 + 11 + 1001)
    expect(await cost(`where: { healthFactor: { lt: 1 }, users: "${USERS[0]}" }`)).toBe(
      600 + 11 + 2,
    )
  })

  test('aggregates take them too', async () => {
    const { positionAggregates } = await gateway.ask(
      `{ positionAggregates(where: { healthFactor: { lt: 1.1 }, date: { eq: "${NEWEST}" } }) { count } }`,
    )
    expect(positionAggregates).toEqual([{ count: near(NEWEST, 1.1).length }])
  })
})

test('markets are filtered and sorted by their parameters', async () => {
  const data = await gateway.ask(`{
    known: markets(where: { liquidationThreshold: { gt: 0 } }, orderBy: LIQUIDATION_THRESHOLD, orderDirection: DESC) {
      nodes { maxLtv liquidationThreshold } }
    all: markets(orderBy: LIQUIDATION_THRESHOLD) { nodes { liquidationThreshold } }
  }`)
  expect(data.known.nodes).toEqual(
    [
      [0.9, 0.85],
      [0.8, 0.75],
      [0.75, 0.7],
      [0.65, 0.6],
      [0.5, 0.4],
    ].map(([liquidationThreshold, maxLtv]) => ({ maxLtv, liquidationThreshold })),
  )
  expect(
    data.all.nodes.map((node: { liquidationThreshold: number }) => node.liquidationThreshold),
  ).toEqual([0, 0.5, 0.65, 0.75, 0.8, 0.9, null, null, null])
})

test('a change of a threshold counts at once', async () => {
  await importFiles(gateway, {
    markets: [market(2, 0, { maxLtv: 0.1, liquidationThreshold: 0.2 })],
  })
  try {
    const { pool: changed } =
      await gateway.ask(`{ pool(address: "${POOLS[2]?.id}") { currentPositions { nodes {
      healthFactor ltv sideA { borrowed { usd } } } } marketA { maxLtv liquidationThreshold } } }`)
    expect(changed.marketA).toEqual({ maxLtv: 0.1, liquidationThreshold: 0.2 })
    const rated = changed.currentPositions.nodes.filter(
      ({ ltv, sideA }: { ltv: number | null; sideA: { borrowed: { usd: number } } }) =>
        ltv !== null && sideA.borrowed.usd === 0,
    )
    expect(rated.length).toBeGreaterThan(2)
    for (const { ltv, healthFactor } of rated) expect(healthFactor).toBeCloseTo(0.2 / ltv, 10)
  } finally {
    await gateway.deps.store.pool.query(
      'UPDATE market SET max_ltv = NULL, liquidation_threshold = NULL WHERE id = $1',
      [POOLS[2]?.unit_1_id],
    )
  }
})

test.skipIf(onCitus)(
  'past positions keep the limits that were in force while their date was the newest one',
  async () => {
    const changing = await startGateway()
    const limits = (threshold: number) =>
      importFiles(changing, {
        markets: [market(0, 0, { maxLtv: threshold / 2, liquidationThreshold: threshold })],
      })
    const positionsOf = (day: string) =>
      importFiles(changing, {
        positions: records.filter(
          ({ id, marketAddress }) => id.startsWith(day) && marketAddress === POOLS[0]?.id,
        ),
      })
    /**
     * The thresholds and limits that the numbers of each date follow from, by positions with debt
     * in B alone.
     */
    const counted = async () => {
      const rows = `{ nodes { date ltv healthFactor borrowingPowerUsd sideA { borrowed { usd } } sideB { borrowed { usd } } } }`
      const lists = await changing.ask(`{
      all: positions(first: 1000) ${rows}
      ${DAYS.map((day, n) => `day${n}: positions(first: 1000, asOf: "${day}", where: { healthFactor: { lt: 1e9 } }, orderBy: HEALTH_FACTOR) ${rows}`).join(' ')}
    }`)
      return Object.values(lists).map((list: any) => {
        const pairsByDate = new Map<string, Set<string>>()
        // A far larger debt than collateral leaves too few digits.
        for (const { date, ltv, healthFactor, borrowingPowerUsd, sideA, sideB } of list.nodes)
          if (ltv !== null && ltv < 100 && sideA.borrowed.usd === 0) {
            const debt = sideB.borrowed.usd
            const pair = [healthFactor * ltv, (borrowingPowerUsd + debt) * (ltv / debt)].map(
              (one) => one.toPrecision(6),
            )
            pairsByDate.set(date, (pairsByDate.get(date) ?? new Set()).add(pair.join(' ')))
          }
        return Object.fromEntries([...pairsByDate].map(([date, pairs]) => [date, [...pairs]]))
      })
    }
    const pair = (threshold: number) => [
      `${threshold.toPrecision(6)} ${(threshold / 2).toPrecision(6)}`,
    ]
    try {
      await importFiles(changing, {
        pools: [POOLS[0] as (typeof POOLS)[number]],
        markets: [market(0, 1)],
      })
      await limits(0.8)
      await positionsOf(DAYS[0])
      await limits(0.5)
      expect(await counted()).toEqual([
        { [DAYS[0]]: pair(0.5) },
        { [DAYS[0]]: pair(0.5) },
        { [DAYS[0]]: pair(0.5) },
      ])
      await positionsOf(DAYS[1])
      for (const threshold of [0.5, 0.25, 0.125]) {
        await limits(threshold)
        const [first, last] = [{ [DAYS[0]]: pair(0.5) }, { [DAYS[1]]: pair(threshold) }]
        expect(await counted()).toEqual([{ ...first, ...last }, first, last])
      }
    } finally {
      await changing.close()
    }
  },
)

test('an empty store has none', async () => {
  const empty = await startGateway()
  try {
    const { data } = await empty.graphql(
      '{ currentPositions(where: { healthFactor: { lt: 1 } }, orderBy: HEALTH_FACTOR) { totalCount nodes { id } } }',
    )
    expect(data.currentPositions).toEqual({ totalCount: 0, nodes: [] })
  } finally {
    await empty.close()
  }
})
