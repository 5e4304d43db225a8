import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleMarket, samplePool, sampleUser, sampleVault } from '../../src/sample/index.ts'
import { makeFaulty } from '../support/faulty.ts'
import { ADMIN_TOKEN, type Gateway, onCitus, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
const stranger = `0x${'5'.repeat(40)}`
const holder = `0x${'a1'.repeat(20)}`
const MAX = 2n ** 256n - 1n

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 6 })
  const { pool } = gateway.deps.store
  for (const [position, usd] of [
    ['one', 1.5],
    ['two', null],
  ])
    await pool.query(
      `INSERT INTO market_snapshot (user_address, chain_id, market_id, timestamp, position_id,
         collateral_assets, collateral_usd, protected_assets, debt_assets, debt_usd)
       VALUES ($1, 1, $2, $3, $4, $5, $6, $5, $5, 0)`,
      [holder, sampleMarket.address, String(2n ** 63n - 1n), position, String(MAX), usd],
    )
  for (const position of ['one', 'two', 'three'])
    await pool.query(
      `INSERT INTO vault_snapshot (user_address, chain_id, vault_id, timestamp, position_id, shares, assets)
       VALUES ($1, 1, $2, 0, $3, $4, 1)`,
      [holder, sampleVault.address, position, String(MAX)],
    )
})
afterAll(() => gateway.close())

const ok = async (query: string, variables?: object, headers?: Record<string, string>) => {
  const data = await gateway.ask(query, variables, headers)
  return data
}
const codes = async (query: string, variables?: object, headers?: Record<string, string>) =>
  (await gateway.graphql(query, variables, headers)).errors?.map((error) => error.extensions.code)

describe('scalars', () => {
  /**
   * For each scalar: a field that takes it, and values as JSON; a literal is written as the JSON
   * is.
   */
  const scalars = {
    Address: {
      field: (value: string) => `user(address: ${value}) { address }`,
      good: [sampleUser, `0x${sampleUser.slice(2).toUpperCase()}`, sampleUser.toUpperCase()],
      bad: [
        '',
        '0x',
        sampleUser.slice(0, -1),
        `${sampleUser}0`,
        ` ${sampleUser}`,
        `${sampleUser}\n`,
        `1x${sampleUser.slice(2)}`,
        `0x${'g'.repeat(40)}`,
        1,
        true,
        null,
        {},
      ],
    },
    Date: {
      field: (value: string) => `distribution(date: ${value}) { date }`,
      good: ['2025-03-01', '2024-02-29', '9999-12-31', '0001-01-01'],
      bad: [
        '',
        '2025-02-30',
        '2025-13-01',
        '2025-03-01T00:00:00.000Z',
        '20250301',
        '2025-3-1',
        '0000-01-01',
        '2025-03-01\0',
        'now',
        1,
        true,
        null,
      ],
    },
    DateTime: {
      field: (value: string) => `portfolio(addresses: [], at: ${value}) { totalPoints }`,
      good: [
        '2025-03-01',
        '2025-03-01T00:00:00.000Z',
        '2025-03-01T23:59:59Z',
        '2024-02-29',
        '9999-12-31T23:59:59.999Z',
        '0001-01-01',
        '2025-03-01T00:00:00+00:00',
      ],
      bad: [
        '',
        '2025-02-30',
        '2025-13-01',
        '2025-03-01T24:00:00Z',
        '2025-03-01T00:00:00',
        '2025-03-01T00:00:00+02:00',
        '20250301',
        '2025-3-1',
        '0000-01-01',
        '+012025-03-01',
        '-000001-01-01',
        '2025-03-01\0',
        'now',
        1,
        1740787200000,
        true,
      ],
    },
    BigInt: {
      field: (value: string) =>
        `positions(first: 1, offset: ${value}) { pageInfo { hasNextPage } }`,
      // The cost of larger ones is refused.
      good: ['0', '5', 5, '50000'],
      bad: [
        '',
        '-1',
        '01',
        '1.0',
        '1e3',
        '0x1',
        ' 1',
        '1\0',
        '9223372036854775808',
        '9'.repeat(2000),
        -1,
        1.5,
        true,
        {},
      ],
    },
    SafeInt: {
      field: (value: string) =>
        `market(chainId: ${value}, address: "${sampleMarket.address}") { chainId }`,
      good: [0, 146, 9007199254740991],
      bad: ['146', '', -1, 1.5, 9007199254740992, 1e300, true, null, {}],
    },
  }
  const type = (name: string) => (name === 'BigInt' ? name : `${name}!`)

  for (const [name, { field, good, bad }] of Object.entries(scalars)) {
    for (const value of good)
      test(`${name} takes ${JSON.stringify(value)}`, async () => {
        await ok(`{ ${field(JSON.stringify(value))} }`)
        await ok(`query ($value: ${type(name)}) { ${field('$value')} }`, { value })
      })
    for (const value of bad)
      test(`${name} refuses ${JSON.stringify(value).slice(0, 60)}`, async () => {
        const refusal = expect.stringMatching(
          /^(BAD_INPUT|BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED)$/,
        )
        expect(await codes(`{ ${field(JSON.stringify(value))} }`)).toEqual([refusal])
        expect(
          await codes(`query ($value: ${type(name)}) { ${field('$value')} }`, { value }),
        ).toEqual([refusal])
      })
  }

  test('a literal of more digits than a number holds is exact', async () => {
    const data = await ok(`{ user(address: "${holder}") { legacy {
      at: marketSnapshots(from: 9223372036854775807) { totalCount }
      past: marketSnapshots(from: "${'9'.repeat(100)}", to: "${'9'.repeat(999)}") { totalCount }
      before: marketSnapshots(to: 9223372036854775806) { totalCount } } } }`)
    const { at, past, before } = data.user.legacy
    expect([at.totalCount, past.totalCount, before.totalCount]).toEqual([2, 2, 0])
  })

  test('an address is returned in lower case, a date without a time', async () => {
    const address = `0x${sampleUser.slice(2).toUpperCase()}`
    expect(
      await ok('query ($address: Address!) { user(address: $address) { address } }', { address }),
    ).toEqual({
      user: { address: sampleUser },
    })
    const { distributions } = await ok('{ distributions { nodes { date } } }')
    for (const { date } of distributions.nodes) expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
    const [{ date }] = distributions.nodes
    expect((await ok(`{ distribution(date: "${date}") { date } }`)).distribution.date).toBe(date)
  })
})

describe('amounts', () => {
  const fields =
    'supplied { raw usd } protected { raw usd } borrowed { raw usd } legacy { timestamp } positionId'

  test('up to 2^256-1 come out exactly', async () => {
    const { user } = await ok(
      `{ user(address: "${holder}") { snapshots(where: { entityTypes: MARKET }) { nodes { ${fields} } } } }`,
    )
    const raw = String(MAX)
    const amounts = { protected: { raw, usd: null }, borrowed: { raw, usd: 0 } }
    const common = { ...amounts, legacy: { timestamp: '9223372036854775807' } }
    expect(user.snapshots.nodes).toEqual([
      { ...common, supplied: { raw, usd: 1.5 }, positionId: 'one' },
      { ...common, supplied: { raw, usd: null }, positionId: 'two' },
    ])
  })

  test('are summed exactly', async () => {
    const { user } = await ok(`{ user(address: "${holder}") {
      legacy { marketSnapshots(grouped: true) { totalCount nodes { ${fields} } }
      vaultSnapshots(grouped: true) { totalCount nodes { shares supplied { raw usd } positionId legacy { timestamp } } } } } }`)
    const double = String(2n * MAX)
    expect(user.legacy.marketSnapshots).toEqual({
      totalCount: 1,
      nodes: [
        {
          supplied: { raw: double, usd: 1.5 },
          protected: { raw: double, usd: null },
          borrowed: { raw: double, usd: 0 },
          legacy: { timestamp: '9223372036854775807' },
          positionId: null,
        },
      ],
    })
    expect(user.legacy.vaultSnapshots).toEqual({
      totalCount: 1,
      nodes: [
        {
          shares: String(3n * MAX),
          supplied: { raw: '3', usd: null },
          positionId: null,
          legacy: { timestamp: '0' },
        },
      ],
    })
  })
})

describe('node', () => {
  const lists = {
    User: 'users(first: 3)',
    Pool: 'pools(first: 3)',
    Market: 'markets(first: 3)',
    Vault: 'vaults(first: 3)',
    Multiplier: 'multipliers(first: 3)',
    Position: 'positions(first: 3)',
    Distribution: 'distributions(first: 3)',
    Run: 'runs(first: 3)',
    MultiplierRevision: 'multiplierRevisions(first: 3)',
    Asset: 'assets(first: 3)',
    Snapshot: 'snapshots(first: 3)',
    LiquidationReward: 'liquidationRewards(first: 3)',
    Activity: 'activity(first: 3)',
    LeaderboardEntry: 'leaderboard(first: 3)',
    DailyPoints: 'dailyPoints(first: 3)',
  }
  /** Those that a user has. */
  const ofUser = ['Snapshot', 'LiquidationReward', 'Activity', 'DailyPoints']
  const listOf = async (name: string, row: string) => {
    const list = `list: ${lists[name as keyof typeof lists]} { nodes { ${row} } }`
    const data = await ok(
      ofUser.includes(name) ? `{ user(address: "${sampleUser}") { ${list} } }` : `{ ${list} }`,
    )
    return (data.user ?? data).list.nodes
  }
  const paths = {
    User: 'address totalPoints',
    Pool: 'address name marketA { address }',
    Market: 'address chainId asset { symbol }',
    Vault: 'address chainId name',
    Multiplier: 'legacy { recordId } poolAddress depositA createdAt',
    Position: 'legacy { recordId } points distributionDate: date sideA { asset { symbol } }',
    Distribution: 'date points kind',
    Run: 'recordId kind startedAt totalsAfter { points }',
    MultiplierRevision: 'recordId poolAddress depositA changedBy',
    Asset: 'chainId address symbol name decimals',
    Snapshot: 'time positionId supplied { usd } entity { address asset { id symbol } }',
    LiquidationReward: 'txHash liquidReward { usd } userAddress entity { name }',
    Activity: 'txHash kind amount { usd } asset { id symbol name }',
    LeaderboardEntry: 'rank points user { id }',
    DailyPoints: 'date points user { id }',
  }

  for (const name of Object.keys(lists))
    test(`${name}: ids of a list give the same objects`, async () => {
      const row = `id __typename ${paths[name as keyof typeof paths]}`
      const rows: { id: string }[] = await listOf(name, row)
      const ids = rows.map((one) => one.id)
      expect(new Set(ids).size).toBe(rows.length)
      expect(rows.length).toBeGreaterThan(0)
      const query = `query ($ids: [ID!]!, $id: ID!) { nodes(ids: $ids) { ... on ${name} { ${row} } } node(id: $id) { ... on ${name} { ${row} } } }`
      expect(await ok(query, { ids: [...ids, ...ids].reverse(), id: ids.at(-1) })).toEqual({
        nodes: [...rows, ...rows].reverse(),
        node: rows.at(-1),
      })
    })

  test.each(['User', 'Pool', 'Market', 'Vault', 'Asset'])(
    '%s: an id has its address in any case',
    async (name) => {
      const row = `id __typename ${paths[name as keyof typeof paths]}`
      const [one] = await listOf(name as keyof typeof paths, row)
      const [, chain, address = ''] =
        /^(.*:)(0x.{40})$/.exec(Buffer.from(one.id, 'base64').toString()) ?? []
      const id = Buffer.from(`${chain}${address.toUpperCase()}`).toString('base64')
      const query = `query ($id: ID!) { node(id: $id) { ... on ${name} { ${row} } } nodes(ids: [$id]) { id } }`
      expect(await ok(query, { id })).toEqual({ node: one, nodes: [{ id: one.id }] })
    },
  )

  test('many objects of many types are one statement a type', async () => {
    const ids: string[] = []
    for (const name of Object.keys(lists).slice(1))
      ids.push(...(await listOf(name, 'id')).map((one: { id: string }) => one.id))
    gateway.statements.length = 0
    await ok('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids })
    expect(
      gateway.statements.filter((sql) => /FROM/.test(sql) && !/data_version/.test(sql)),
    ).toHaveLength(14)
  })

  test('an asset has one id, wherever it is', async () => {
    const { markets, activity } =
      await ok(`{ markets(first: 3) { nodes { asset { id address name } chainId
      pool { assetA { id address name } assetB { id address name } } } }
      activity: user(address: "${sampleUser}") { activity { nodes { asset { id address name decimals } } } } }`)
    for (const { asset, chainId, pool } of markets.nodes) {
      expect([pool.assetA, pool.assetB]).toContainEqual(asset)
      const { node } = await ok(
        'query ($id: ID!) { node(id: $id) { ... on Asset { chainId address name } } }',
        {
          id: asset.id,
        },
      )
      expect(node).toEqual({ chainId, address: asset.address, name: asset.name })
    }
    expect(activity.activity.nodes.filter(({ asset }: any) => asset).length).toBeGreaterThan(3)
  })

  test('an entry of the leaderboard is another object in each scope', async () => {
    const { distributions } = await ok('{ distributions(first: 3) { nodes { date } } }')
    const [newest, , older] = distributions.nodes.map(({ date }: { date: string }) => `"${date}"`)
    const scopes = ['', `(scope: { asOf: ${older} })`, `(scope: { asOf: ${newest} })`]
    for (const window of ['', `from: ${older}`, `to: ${older}`, `chainId: 146, from: ${older}`])
      scopes.push(`(scope: { window: { ${window} } })`)
    const boards = scopes.map(
      (scope, i) => `board${i}: leaderboard${scope} { nodes { id user { address } } }`,
    )
    const lists: { id: string }[][] = Object.values(await ok(`{ ${boards.join(' ')} }`)).map(
      (one: any) => one.nodes,
    )
    const ids = new Set(lists.flat().map(({ id }) => id))
    const whole = lists[0]?.length ?? 0
    expect(lists.every(({ length }) => length > 0)).toBe(true)
    // A window without bounds is the whole leaderboard.
    expect(ids.size).toBe(lists.flat().length - whole)
    const { nodes } = await ok('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: [...ids],
    })
    expect(nodes).toEqual([...ids].map((id) => ({ id })))
  })

  test('a multiplier of a date is another object than that of today', async () => {
    const query =
      '{ now: multipliers(first: 3) { nodes { id depositA } } then: multipliers(first: 3, asOf: "2026-10-01") { nodes { id depositA } } }'
    const { now, then } = await ok(query)
    const ids = [...now.nodes, ...then.nodes].map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(6)
    const { nodes } = await ok(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Multiplier { id depositA } } }',
      {
        ids,
      },
    )
    expect(nodes).toEqual([...now.nodes, ...then.nodes])
  })

  const encode = (text: string) => Buffer.from(text).toString('base64')
  const unknown = [
    encode(`Pool:${stranger}`),
    encode(`Market:${JSON.stringify(['1', stranger])}`),
    encode(`Multiplier:${stranger}`),
    encode('Position:nothing'),
    encode('Distribution:1999-01-01T00:00:00.000Z'),
  ]
  const types = Object.keys(lists)
  const garbage = [
    '',
    'x',
    '%00',
    '\0',
    'null',
    encode(''),
    encode(':'),
    encode('Nothing:1'),
    encode('Query:1'),
    encode('User'),
    encode('Snapshot:1'),
    ...types.flatMap((type) =>
      [
        '',
        'x',
        '\0',
        `${stranger}\0`,
        '2025-02-30',
        '0000-01-01',
        'null',
        '1:2:3',
        '[]',
        '{}',
        '[1]',
        '["x","y"]',
        '["1"]',
        `["9223372036854775808","${stranger}"]`,
        `["1e3","${stranger}"]`,
        '["1","\\u0000"]',
        '[null,null]',
        '9'.repeat(400),
        '-1',
        '\ud800',
        'x'.repeat(5000),
      ].map((id) => encode(`${type}:${id}`)),
    ),
  ]
  for (const id of [...unknown, ...garbage])
    test(`an id of nothing (${JSON.stringify(Buffer.from(id, 'base64').toString()).slice(0, 60)}) is null or refused`, async () => {
      for (const [query, variables] of [
        ['query ($id: ID!) { node(id: $id) { __typename id } }', { id }],
        ['query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids: [id] }],
      ] as const) {
        const { data, errors } = await gateway.graphql(query, variables)
        for (const error of errors ?? [])
          expect(error.extensions.code, error.message).toBe('BAD_INPUT')
        expect(data?.node ?? data?.nodes?.[0] ?? null).toBeNull()
      }
    })
})

describe('users', () => {
  test('whom the store does not know have empty lists and zero totals', async () => {
    const empty = { totalCount: 0, nodes: [] }
    const lists = ['positions', 'dailyPoints', 'snapshots', 'liquidationRewards']
    const { user } =
      await ok(`{ user(address: "${stranger}") { address points: totalPoints rank positionCount: recordCount firstDistributionDate: firstDate
      lastDistributionDate: lastDate latestSnapshots { time }
      ${lists.map((list) => `${list} { totalCount nodes { __typename } }`).join(' ')}
      earnings { earningsUsd profitUsd interestUsd priceUsd liquidationUsd
        worthUsd netCashInvestedUsd hasIncompletePrices entityCount breakdown { chainId } }
      netApr { earnNetApr: netDepositApr borrowNetApr: netBorrowApr totalEarnDepositsUsd: depositUsd totalBorrowUsd: borrowedUsd entityCount breakdown { chainId } } } }`)
    expect(user).toEqual({
      address: stranger,
      points: 0,
      rank: null,
      positionCount: 0,
      firstDistributionDate: null,
      lastDistributionDate: null,
      latestSnapshots: [],
      ...Object.fromEntries(lists.map((list) => [list, empty])),
      earnings: {
        earningsUsd: 0,
        profitUsd: 0,
        interestUsd: 0,
        priceUsd: 0,
        liquidationUsd: 0,
        worthUsd: 0,
        netCashInvestedUsd: 0,
        hasIncompletePrices: false,
        entityCount: 0,
        breakdown: [],
      },
      netApr: {
        earnNetApr: 0,
        borrowNetApr: 0,
        totalEarnDepositsUsd: 0,
        totalBorrowUsd: 0,
        entityCount: 0,
        breakdown: [],
      },
    })
  })

  // A sharded store sends a statement for each user, of which an operation has at most 500.
  test.skipIf(onCitus)('up to 1000 at once, in their order, one of them twice', async () => {
    const addresses = Array.from({ length: 998 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`)
    const query =
      'query ($addresses: [Address!]!) { lookupUsers(addresses: $addresses) { address points: totalPoints netApr { earnNetApr: netDepositApr } } }'
    const { lookupUsers: users } = await ok(query, {
      addresses: [sampleUser, ...addresses, sampleUser],
    })
    expect(users.map((user: { address: string }) => user.address)).toEqual([
      sampleUser,
      ...addresses,
      sampleUser,
    ])
    expect(users[0]).toEqual(users[999])
    expect(users[0].points).toBeGreaterThan(0)
    expect(users[1].points).toBe(0)
    const tooMany = [...addresses, stranger, holder, sampleUser]
    expect(await codes(query, { addresses: tooMany })).toEqual(['BAD_INPUT'])
    expect(await ok(query, { addresses: [] })).toEqual({ lookupUsers: [] })
  })

  test('one of them is the same as one alone, and as one of many', async () => {
    const selection = `points: totalPoints rank earnings { earningsUsd } netApr { earnNetApr: netDepositApr } latestSnapshots { time positionId }
      snapshots(last: 3) { nodes { time supplied { raw } } } dailyPoints(first: 2) { nodes { points } }`
    const { leaderboard } = await ok('{ leaderboard(first: 10) { nodes { userAddress } } }')
    const addresses: string[] = leaderboard.nodes.map(
      (entry: { userAddress: string }) => entry.userAddress,
    )
    const { lookupUsers } = await ok(
      `query ($addresses: [Address!]!) { lookupUsers(addresses: $addresses) { ${selection} } }`,
      { addresses },
    )
    for (const [i, address] of addresses.entries())
      expect(
        settled(
          (
            await ok(`query ($address: Address!) { user(address: $address) { ${selection} } }`, {
              address,
            })
          ).user,
        ),
      ).toEqual(settled(lookupUsers[i]))
  })

  test('a field selected twice with other arguments has both values', async () => {
    const { user } = await ok(`{ user(address: "${sampleUser}") {
      one: positions(first: 1) { nodes { id } } two: positions(first: 2) { nodes { id } }
      here: latestSnapshots(chainId: 146) { chainId } there: latestSnapshots(chainId: 1) { chainId } everywhere: latestSnapshots { chainId }
      mine: earnings(chainId: 146) { worthUsd } all: earnings { worthUsd } } }`)
    expect([user.one.nodes.length, user.two.nodes.length]).toEqual([1, 2])
    expect(new Set(user.here.map((row: { chainId: number }) => row.chainId))).toEqual(
      new Set([146]),
    )
    expect(user.here.length + user.there.length).toBeLessThanOrEqual(user.everywhere.length)
  })
})

test('fragments select by the type of an interface', async () => {
  const { user } =
    await ok(`{ user(address: "${sampleUser}") { latestSnapshots { entityType userAddress shares supplied { raw } protected { raw }
    entity { __typename id address ... on Market { borrowApr pool { name } } ... on Vault { vault: name } ... on Entity { name } } } } }`)
  const kinds = user.latestSnapshots.map((row: { entityType: string }) => row.entityType)
  expect(new Set(kinds)).toEqual(new Set(['MARKET', 'VAULT']))
  for (const { entity, entityType, shares, protected: secured } of user.latestSnapshots) {
    const isMarket = entityType === 'MARKET'
    expect(entity.__typename).toBe(isMarket ? 'Market' : 'Vault')
    expect('borrowApr' in entity).toBe(isMarket)
    expect(entity.vault).toBe(isMarket ? undefined : entity.name)
    expect([shares === null, secured !== null]).toEqual([isMarket, isMarket])
  }
})

describe('filters', () => {
  test('text that no column can hold is refused, other text matches nothing', async () => {
    const query =
      'query ($text: [String!]) { multiplierRevisions(where: { changedBy: $text }) { totalCount } }'
    expect(await codes(query, { text: 'a\0b' })).toEqual(['BAD_INPUT'])
    for (const text of ['', "'; DROP TABLE position; --", '\ud800', 'x'.repeat(10_000), '%', '😀'])
      expect(JSON.stringify(await ok(query, { text }))).toContain('"totalCount":0')
    for (const text of ['', 'nothing', '\0', 'x'.repeat(10_000), '\ud800'])
      expect(
        await codes(
          'query ($text: String) { legacy { positions(afterRecord: $text) { totalCount } } }',
          { text },
        ),
      ).toEqual(['BAD_INPUT'])
  })

  test('200 tokens are counted, more are only listed', async () => {
    const asked = (fields: string) =>
      `query ($assets: [Address!]) { positions(first: 3, where: { assets: $assets }) { ${fields} } }`
    const query = asked('totalCount nodes { id }')
    const assets = Array.from({ length: 300 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`)
    expect((await ok(query, { assets: [] })).positions).toEqual({ totalCount: 0, nodes: [] })
    const { pool } = await ok(`{ pool(address: "${samplePool.address}") { assetA { address } } }`)
    const one = await ok(query, { assets: [pool.assetA.address, pool.assetA.address] })
    expect(one.positions.totalCount).toBeGreaterThan(3)
    const many = (count: number) => ({
      assets: [...assets.slice(0, count - 1), pool.assetA.address],
    })
    expect(await ok(query, many(200))).toEqual(one)
    expect(await codes(query, many(201))).toEqual(['BAD_INPUT'])
    const { nodes } = one.positions
    for (const count of [201, 300])
      expect(await ok(asked('nodes { id }'), many(count))).toEqual({ positions: { nodes } })
  })
})

describe('errors', () => {
  test('a wrong literal is located, of each scalar', async () => {
    for (const [before, literal, after] of [
      ['{ user(address: ', '"0x1d4a"', ') { totalPoints } }'],
      ['{ leaderboard(scope: { asOf: ', '"yesterday"', ' }) { totalCount } }'],
      ['{ leaderboard(offset: ', '"-1"', ') { totalCount } }'],
      ['{ market(chainId: ', '-1', `, address: "${stranger}") { address } }`],
    ] as const) {
      const { data, errors } = await gateway.graphql(`${before}${literal}${after}`)
      expect(data, literal).toBeUndefined()
      expect(errors, literal).toMatchObject([
        { locations: [{ line: 1, column: before.length + 1 }], extensions: { code: 'BAD_INPUT' } },
      ])
    }
  })

  test('all have a code', async () => {
    for (const query of [
      '{',
      '{ nothing }',
      '{ pools(first: -1) { totalCount } }',
      '{ user(address: 1) { points: totalPoints } }',
      'query A { __typename } query B { __typename }',
      'subscription { x }',
    ]) {
      const actual = await codes(query)
      expect(actual?.length, query).toBeGreaterThan(0)
      for (const code of actual ?? []) expect(code, query).toMatch(/^[A-Z_]+$/)
    }
  })

  test.skipIf(onCitus)('a fault of ours shows nothing but the request id', async () => {
    const broken = await startGateway()
    try {
      await broken.deps.store.pool.query(makeFaulty('pool'))
      for (const query of [
        '{ pools { nodes { name } } }',
        '{ pool(address: "0x0000000000000000000000000000000000000000") { name } }',
        '{ a: pools { totalCount nodes { name } } b: multipliers { nodes { id } } }',
      ]) {
        const { errors } = await broken.graphql(query, {}, { 'request-id': 'my-request-1' })
        expect(errors).toHaveLength(1)
        expect(errors?.[0].extensions).toEqual({ code: 'INTERNAL', requestId: 'my-request-1' })
        expect(errors?.[0].message).toContain('my-request-1')
        expect(JSON.stringify(errors)).not.toMatch(
          /gone|division|select|prisma|postgres|stack|node_modules/i,
        )
      }
    } finally {
      await broken.close()
    }
  })
})

describe('mutations', () => {
  const update = `mutation ($multipliers: [MultiplierInput!]!) { updateMultipliers(input: { multipliers: $multipliers }) { multipliers {
    poolAddress depositA depositB borrowA borrowB updatedAt pool { address multiplier { depositA } } } } }`
  const resync =
    'mutation ($date: Date) { resyncDistribution(input: { date: $date }) { run { date totalsAfter { positionCount totalPoints: points } startedAt finishedAt } } }'
  const manual = 'mutation { updateDistribution { run { kind } } }'
  const multipliers = [{ poolAddress: samplePool.address, depositA: 7 }]
  const allThree = [
    [update, { multipliers }],
    [resync, {}],
    [manual, {}],
  ] as const

  test('need the admin token', async () => {
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer wrong',
      `Basic ${ADMIN_TOKEN}`,
      ADMIN_TOKEN,
      `Bearer ${ADMIN_TOKEN}x`,
    ])
      for (const [query, variables] of allThree)
        expect(
          await codes(query, variables, authorization === undefined ? {} : { authorization }),
        ).toEqual(['UNAUTHENTICATED'])
  })

  test('are closed on a server without one', async () => {
    const closed = await startGateway({ env: { ADMIN_TOKEN: undefined as never } })
    try {
      for (const [query, variables] of allThree)
        for (const headers of [{}, admin]) {
          const { errors } = await closed.graphql(query, variables, headers)
          expect(errors?.map((error) => error.extensions.code)).toEqual(['FORBIDDEN'])
        }
    } finally {
      await closed.close()
    }
  })

  test('do not run over GET', async () => {
    const response = await gateway.get(`/graphql?query=${encodeURIComponent(resync)}`, {
      ...admin,
      accept: 'application/json',
    })
    expect(response.status).toBe(405)
  })

  test('updateMultipliers answers with the new values, in the order of the request', async () => {
    const { pools } = await ok('{ pools(first: 3) { nodes { address } } }')
    const asked = pools.nodes
      .map((pool: { address: string }, i: number) => ({
        poolAddress: pool.address,
        depositA: 10.5 + i,
      }))
      .reverse()
    const changed = (await ok(update, { multipliers: asked }, admin)).updateMultipliers.multipliers
    expect(
      changed.map((one: any) => [one.poolAddress, one.depositA, one.pool.multiplier.depositA]),
    ).toEqual(asked.map((one: any) => [one.poolAddress, one.depositA, one.depositA]))
    const [before] = changed
    const after = await ok(
      update,
      { multipliers: [{ poolAddress: before.poolAddress, borrowB: 0.25 }] },
      admin,
    )
    expect(after.updateMultipliers.multipliers[0]).toMatchObject({
      depositA: before.depositA,
      depositB: before.depositB,
      borrowA: before.borrowA,
      borrowB: 0.25,
    })
  })

  test('name what they did and is probably a mistake', async () => {
    const set = async (depositA: number) => {
      const multipliers = [{ poolAddress: samplePool.address, depositA }]
      const query = `mutation ($multipliers: [MultiplierInput!]!) { updateMultipliers(input: { multipliers: $multipliers }) { problems { code message poolAddress pool { address } } } }`
      return (await ok(query, { multipliers }, admin)).updateMultipliers.problems
    }
    await set(4)
    expect(await set(5)).toEqual([])
    const { address } = samplePool
    expect(await set(10)).toEqual([
      {
        code: 'MULTIPLIER_JUMPED',
        message: `depositA of ${address} changed from 5 to 10.`,
        poolAddress: address,
        pool: { address },
      },
    ])
    const { resyncDistribution } = await ok(
      'mutation { resyncDistribution { problems { code message pool { address } } } }',
      {},
      admin,
    )
    const { pools } = await ok(
      '{ pools(first: 1000) { nodes { address multiplier { id } positionCount } } }',
    )
    expect(resyncDistribution.problems).toEqual(
      pools.nodes
        .filter((pool: any) => !pool.multiplier && pool.positionCount > 0)
        .map(({ address }: any) => address)
        .sort()
        .map((address: string) => ({
          code: 'MULTIPLIER_MISSING',
          message: `The pool ${address} has no multiplier for the date: its positions have no points.`,
          pool: { address },
        })),
    )
  })

  test('updateMultipliers sets all or none', async () => {
    const query = `{ pool(address: "${samplePool.address}") { multiplier { depositA depositB borrowA borrowB updatedAt } } }`
    const before = await ok(query)
    const change = { poolAddress: samplePool.address, depositA: 99 }
    for (const [multipliers, code] of [
      [[], 'BAD_INPUT'],
      [[change, change], 'BAD_INPUT'],
      [
        [change, { ...change, poolAddress: `0x${change.poolAddress.slice(2).toUpperCase()}` }],
        'BAD_INPUT',
      ],
      [[{ ...change, depositB: -1 }], 'BAD_INPUT'],
      [[{ ...change, borrowA: null }], 'BAD_INPUT'],
      [[change, { poolAddress: stranger, depositA: 1 }], 'NOT_FOUND'],
    ])
      expect(await codes(update, { multipliers }, admin), JSON.stringify(multipliers)).toEqual([
        code,
      ])
    expect(await ok(query)).toEqual(before)
  })

  test('two in one operation run one after the other, and the second sees what the first did', async () => {
    const data = await ok(
      `mutation { a: updateMultipliers(input: { multipliers: [{ poolAddress: "${samplePool.address}", depositA: 1 }] }) { multipliers { pool { multiplier { depositA } } } }
        b: updateMultipliers(input: { multipliers: [{ poolAddress: "${samplePool.address}", depositA: 2 }] }) { multipliers { pool { multiplier { depositA } } } }
        one: resyncDistribution { run { status } } two: resyncDistribution { run { status } } }`,
      {},
      admin,
    )
    expect(data.a.multipliers[0].pool.multiplier.depositA).toBe(1)
    expect(data.b.multipliers[0].pool.multiplier.depositA).toBe(2)
    expect([data.one.run, data.two.run]).toEqual([{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }])
  })

  test("resyncDistribution's answer is what is stored then", async () => {
    await ok(
      update,
      { multipliers: [{ poolAddress: samplePool.address, depositA: 123, depositB: 45 }] },
      admin,
    )
    const stored =
      '{ distributions(first: 1) { nodes { date totalPoints: points positionCount kind startedAt finishedAt } } program { totalPoints } }'
    const before = await ok(stored)
    const { run } = (await ok(resync, {}, admin)).resyncDistribution
    const after = await ok(stored)
    const [row] = after.distributions.nodes
    const { totalPoints, positionCount } = run.totalsAfter
    expect(totalPoints).toBeGreaterThan(before.distributions.nodes[0].totalPoints)
    expect(row).toEqual({
      date: run.date,
      totalPoints,
      positionCount,
      kind: 'RESYNC',
      startedAt: run.startedAt,
      finishedAt: run.finishedAt,
    })
    const gained = totalPoints - before.distributions.nodes[0].totalPoints
    expect(after.program.totalPoints - before.program.totalPoints).toBeCloseTo(gained, 3)
  })

  test('resyncDistribution of a date without positions or in the future, updateDistribution without a source', async () => {
    expect(await codes(resync, { date: '2001-01-01' }, admin)).toEqual(['NOT_FOUND'])
    expect(await codes(resync, { date: '2999-01-01' }, admin)).toEqual(['BAD_INPUT'])
    expect(await codes(manual, {}, admin)).toEqual(['UNAVAILABLE'])
  })
})

/**
 * The same with numbers to 6 decimals: the order of an addition may differ, what is added up may
 * not.
 */
const settled = (value: object) =>
  JSON.parse(
    JSON.stringify(value, (_, one) =>
      typeof one === 'number' ? Math.round(one * 1e6) / 1e6 : one,
    ),
  )
