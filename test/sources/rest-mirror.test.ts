import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, validate } from 'graphql'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { records } from '../../src/domain/dataset/records.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import {
  type Client,
  type DatasetFile,
  graphOperations,
  type MirrorSummary,
  openClient,
  withMirror,
} from '../../src/sources/index.ts'
import {
  type MirrorOptions,
  type MirrorProgress,
  mirrorGateway,
} from '../../src/sources/mirror/rest-mirror.ts'
import { startOnFixture } from '../rest/fixture.ts'
import { differences, everyRequest, NOBODY, someOf } from '../support/compare.ts'
import { conformanceCases, failedCases, startOnConformance } from '../support/conformance.ts'
import { ADMIN_TOKEN, type Gateway, onCitus, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'
import {
  documented,
  only,
  type ProxyOptions,
  type ProxyServer,
  startProxy,
} from '../support/proxy.ts'
import { startOnSample } from '../support/sample.ts'
import { silent } from '../support/store.ts'

let client: Client
beforeAll(() => {
  client = openClient({ timeoutMs: 20_000, retries: 1, maxBytes: 64 * 1024 * 1024, waitMs: 10 })
})
afterAll(() => client.close())

/** Imports what a walk gives, as `gateway import URL` does. */
function mirror(copy: Gateway, options: Omit<MirrorOptions, 'client'>): Promise<MirrorSummary> {
  const { store, basePoints } = copy.deps
  return withMirror({ client, ...options }, async (dataset, summary) => {
    await importDataset({ pool: store.pool, basePoints, log: silent }, dataset)
    return summary
  })
}

test('the operations for another gateway are valid', () => {
  const schema = createSchema()
  for (const operation of Object.values(graphOperations))
    expect(validate(schema, parse(operation))).toEqual([])
})

/** A gateway on the suite's data and an empty one, whose time stands still. */
async function suiteAndCopy(): Promise<{ source: Gateway; copy: Gateway; letTimePass(): void }> {
  const start = new Date()
  let clock = () => start
  const now = () => clock()
  const [source, copy] = await Promise.all([startOnConformance({ now }), startGateway({ now })])
  return { source, copy, letTimePass: () => (clock = () => new Date()) }
}

describe("on the conformance suite's data", () => {
  const reads = () =>
    conformanceCases()
      .filter(({ method = 'GET' }) => method === 'GET')
      .map(({ path }) => path)

  test('a copy of another gateway answers every request alike, and passes a sample of the suite', {
    timeout: 300_000,
  }, async () => {
    const { source, copy, letTimePass } = await suiteAndCopy()
    try {
      const summary = await mirror(copy, { base: source.base })
      expect(summary).toMatchObject({ graph: true, notes: [] })
      expect(
        await differences(source, copy, [
          ...someOf(reads(), 7),
          ...someOf(await everyRequest(source), 31),
        ]),
      ).toEqual([])
      letTimePass()
      expect(await failedCases(copy, 11)).toBe(0)
    } finally {
      await Promise.all([source.close(), copy.close()])
    }
  })
})

/** Prices of two assets of a gateway: of yesterday, and of more than a thousand days before. */
async function pricesOf({ deps }: Gateway) {
  const { rows } = await deps.store.pool.query(
    'SELECT chain_id::int AS "chainId", asset_address AS "assetAddress" FROM vault ORDER BY id LIMIT 2',
  )
  const dates = [1, 2, 999, 1000, 1400].map((days) =>
    new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
  )
  return rows.flatMap((asset, at) =>
    dates.slice(at).map((date, nth) => ({
      ...asset,
      date,
      priceUsd: nth + 1.5,
      source: 'test',
      time: `${date}T08:00:00Z`,
    })),
  )
}

const cashFlows = async ({ deps }: Gateway) =>
  (await deps.store.pool.query('SELECT * FROM cash_flow ORDER BY chain_id, tx_hash, log_index'))
    .rows

/** Tables that a gateway computes from others. */
const COMPUTED = [
  ...[
    'account',
    'account_day',
    'distribution',
    'market_holding',
    'net_cash',
    'net_liquidation',
    'pool_day',
    'pool_total',
    'program',
  ],
  ...['token_pair', 'user', 'user_worth', 'vault_day', 'vault_holding'],
]
/**
 * What is copied by rules, which have their own test; what a gateway shows to none; and its state.
 */
const NOT_SHOWN = [
  ...['base_points_revision', 'rank_history', 'rank_history_date', 'run', 'season'],
  ...['leg_progress', 'removed_day', 'data_version', '_prisma_migrations'],
  ...['hook', 'hook_delivery', 'hook_noted', 'hook_watch', 'api_key'],
]
/** Columns that each store has for itself. */
const OWN_COLUMNS = [
  'pool.key',
  'rate_revision.changed_at',
  ...['limits_until', 'past_max_ltvs', 'past_liquidation_thresholds'].map(
    (name) => `market.${name}`,
  ),
  ...['market', 'vault'].flatMap((kind) => [
    `${kind}_snapshot.computed_usd`,
    `${kind}_holding.computed_usd`,
  ]),
  'cash_flow.computed_usd',
  ...['sent', 'received', 'reward'].map((part) => `market_liquidation_reward.computed_${part}_usd`),
  'vault_liquidation_reward.computed_sent_usd',
  ...['given', 'pair_key', 'pool_key', 'run_id'].map((name) => `stored_position.${name}`),
]

describe('on a sample', () => {
  let source: Gateway
  let copy: Gateway
  beforeEach(async () => {
    const start = new Date()
    const now = () => start
    source = await startOnSample({ users: 8, days: 5, now })
    copy = await startGateway({ now })
  })
  afterEach(() => Promise.all([source.close(), copy.close()]))

  test('a copy of another gateway answers every request alike, as does a copy of the copy', {
    timeout: 300_000,
  }, async () => {
    const progress: MirrorProgress[] = []
    const summary = await mirror(copy, {
      base: `${source.base}/`,
      onProgress: (one) => progress.push(one),
    })
    expect(await differences(source, copy, someOf(await everyRequest(source), 7))).toEqual([])
    const { rows } = await source.deps.store.pool.query('SELECT count(*)::int AS users FROM "user"')
    expect(summary).toMatchObject({
      name: source.base,
      graph: true,
      users: rows[0].users,
      notes: [],
    })
    expect(progress.filter(({ what }) => what === 'users').at(-1)).toMatchObject({
      done: summary.users,
      total: summary.users,
    })
    const positions = summary.records.positions
    expect(progress.filter(({ what }) => what === 'positions').at(-1)).toMatchObject({
      done: positions,
      total: positions,
    })

    const graph = `{ pools { nodes { address chainId } }
      markets { nodes { chainId address asset { address symbol decimals } depositRate: depositApr borrowRate: borrowApr maxLtv liquidationThreshold pool { address } } }
      vaults { nodes { chainId address name asset { address symbol decimals } depositRate: depositApr } } users { nodes { address } } }`
    expect(await copy.graphql(graph)).toEqual(await source.graphql(graph))
    const flows = await cashFlows(source)
    expect(flows.length).toBeGreaterThan(20)
    expect(flows.some((flow) => flow.amount_usd === null)).toBe(true)
    expect(await cashFlows(copy)).toEqual(flows)

    const again = await startGateway({ now: copy.deps.now })
    try {
      await mirror(again, { base: copy.base })
      expect(await differences(source, again, someOf(await everyRequest(source), 31))).toEqual([])
      expect(await cashFlows(again)).toEqual(flows)
    } finally {
      await again.close()
    }
  })

  test('a copy loses no column', { timeout: 300_000 }, async () => {
    const { pool } = source.deps.store
    await pool.query(`UPDATE market_liquidation_reward SET claimed_timestamp = timestamp + 60;
      UPDATE vault_liquidation_reward SET claimed_timestamp = timestamp + 60;
      INSERT INTO multiplier_revision (pool_address, changed_at, changed_by, from_date, revoked_at, revoked_by)
        SELECT min(id), now(), 'test', '2100-01-01', now(), 'test' FROM pool;
      UPDATE vault_snapshot SET position_id = 'other' WHERE timestamp = (SELECT max(timestamp) FROM vault_snapshot)`)
    const { assets } = await source.ask('{ assets { nodes { chainId address logoUri } } }')
    const { chainId, address } = assets.nodes.find(
      ({ logoUri }: { logoUri: string | null }) => logoUri === null,
    )
    await importFiles(source, {
      prices: await pricesOf(source),
      tokens: [{ chainId, address, name: 'Another', movesWith: 'USD' }],
    })
    const { records: counts } = await mirror(copy, { base: source.base })
    const tables = Object.keys(counts).map((file) => {
      const { table, stored = table } = records[file as DatasetFile]
      return stored
    })
    const { rows } = await pool.query<{ table: string; columns: { name: string; lost: string }[] }>(
      `SELECT c.relname AS table, json_agg(json_build_object('name', quote_ident(attname),
         'lost', coalesce(pg_get_expr(adbin, adrelid), CASE WHEN NOT attnotnull THEN 'NULL' END)) ORDER BY attname) AS columns
       FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid LEFT JOIN pg_attrdef ON adrelid = c.oid AND adnum = attnum
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped GROUP BY 1`,
    )
    const names = [...tables, ...COMPUTED, ...NOT_SHOWN]
    expect(rows.map(({ table }) => table).sort()).toEqual(names.sort())
    for (const table of tables) {
      const all = rows.find((one) => one.table === table)?.columns ?? []
      const columns = all.filter(({ name }) => !OWN_COLUMNS.includes(`${table}.${name}`))
      const list = columns.map(({ name }) => name).join(', ')
      const of = async ({ deps }: Gateway) =>
        (await deps.store.pool.query(`SELECT ${list} FROM ${table} ORDER BY ${list}`)).rows
      expect(await of(copy), table).toEqual(await of(source))
      for (const { name, lost } of columns) {
        if (lost === null) continue
        const isSeen = `SELECT bool_or(${name} IS DISTINCT FROM ${lost}) AS seen FROM ${table}`
        // Otherwise this test would not fail if the column were lost.
        expect((await pool.query(isSeen)).rows, `${table}.${name} has values`).toEqual([
          { seen: true },
        ])
      }
    }
  })

  test('a gateway whose graph has no activity is copied too, with flows that add up to the earnings', {
    timeout: 300_000,
  }, async () => {
    const older = await startProxy(source.base, {
      change(path, body: any) {
        const { user } = (path === '/graphql' && body.data) || {}
        if (user?.fields)
          user.fields = user.fields.filter(({ name }: { name: string }) => name !== 'activity')
        return body
      },
    })
    try {
      expect(await mirror(copy, { base: older.base })).toMatchObject({ graph: true, notes: [] })
      expect(await differences(source, copy, someOf(await everyRequest(source), 31))).toEqual([])
      expect(await cashFlows(copy)).not.toEqual(await cashFlows(source))
      // One for each of 48 markets would be more.
      expect(older.requests.filter(({ path }) => path === '/graphql').length).toBeLessThan(40)
    } finally {
      await older.close()
    }
  })

  test('a gateway whose graph has no risk parameters is copied too, and those that are stored stay', {
    timeout: 300_000,
  }, async () => {
    const requested: string[] = []
    const older = await startProxy(source.base, {
      change(path, body: any) {
        const { market } = (path === '/graphql' && body.data) || {}
        if (market?.fields)
          market.fields = market.fields.filter(
            ({ name }: { name: string }) => !/maxLtv|liquidation/.test(name),
          )
        for (const node of (path === '/graphql' && body.data?.markets?.nodes) || [])
          requested.push(...Object.keys(node))
        return body
      },
    })
    const risk = async () =>
      (
        await copy.deps.store.pool.query(
          'SELECT id, max_ltv, liquidation_threshold FROM market ORDER BY chain_id, id',
        )
      ).rows
    try {
      expect(await mirror(copy, { base: older.base })).toMatchObject({ graph: true, notes: [] })
      expect(requested).toContain('borrowRate')
      expect(requested).not.toContain('maxLtv')
      const none = await risk()
      expect(none.every((row) => row.max_ltv === null && row.liquidation_threshold === null)).toBe(
        true,
      )
      await mirror(copy, { base: source.base })
      const stored = await risk()
      expect(stored).not.toEqual(none)
      await mirror(copy, { base: older.base })
      expect(await risk()).toEqual(stored)
    } finally {
      await older.close()
    }
  })

  test('so does a copy of a server that has only REST', { timeout: 300_000 }, async () => {
    const legacy = await startProxy(source.base, { answer: documented })
    try {
      const summary = await mirror(copy, { base: legacy.base })
      expect(summary).toMatchObject({ graph: false, notes: [] })
      expect(
        await differences(
          source,
          copy,
          someOf(await everyRequest(source, { usedVaults: true }), 31),
        ),
      ).toEqual([])
      expect(
        legacy.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path),
      ).toEqual(['/graphql'])
      const graph = `{ pools { nodes { address chainId } } markets { nodes { chainId address asset { address } pool { address } } } }`
      expect(await copy.graphql(graph)).toEqual(await source.graphql(graph))
    } finally {
      await legacy.close()
    }
  })

  test('so does a copy of two servers, of points and of wallets, with users that are named', {
    timeout: 300_000,
  }, async () => {
    const points = await startProxy(source.base, {
      answer: only((path) => /^\/(points|positions|pools|multipliers)\//.test(path)),
    })
    const indexer = await startProxy(source.base, {
      answer: only((path) => path.startsWith('/v1/')),
    })
    try {
      const { rows } = await source.deps.store.pool.query<{ address: string }>(
        'SELECT user_address AS address FROM "user"',
      )
      const users = rows.map((row) => row.address)
      const summary = await mirror(copy, {
        base: points.base,
        indexerBase: indexer.base,
        users,
        everyMarket: true,
      })
      expect(summary).toMatchObject({ graph: false, users: users.length, notes: [] })
      expect(
        await differences(
          source,
          copy,
          someOf(await everyRequest(source, { usedVaults: true }), 31),
        ),
      ).toEqual([])
    } finally {
      await Promise.all([points.close(), indexer.close()])
    }
  })

  test('a second copy brings the first one up to date', { timeout: 300_000 }, async () => {
    const legacy = await startProxy(source.base, { answer: documented })
    try {
      await mirror(copy, { base: legacy.base })
      await source.deps.store.pool.query(
        `UPDATE cash_flow SET amount_usd = CASE WHEN amount_usd IS NULL THEN 5 WHEN log_index % 7 = 0 THEN NULL ELSE amount_usd / 3 END`,
      )
      await source.deps.store.pool.query(`UPDATE market SET deposit_rate = deposit_rate * 2`)
      const response = await fetch(`${source.base}/points/resync`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      })
      expect(response.status).toBe(200)
      await mirror(copy, { base: legacy.base })
      expect(
        await differences(
          source,
          copy,
          someOf(await everyRequest(source, { usedVaults: true }), 31),
        ),
      ).toEqual([])
    } finally {
      await legacy.close()
    }
  })
})

describe('on hand-made data: one address on two chains, flows without snapshots, missing prices', () => {
  for (const [what, options] of [
    ['another gateway', {}],
    ['a server that has only REST', { answer: documented }],
    [
      'a server that has only REST, its own words, and no cursors',
      {
        answer: documented,
        change(path: string, body: any) {
          if (path === '/pools/all')
            return body.map(({ unit_1_id, unit_2_id, ...pool }: any) => ({
              ...pool,
              silo_1_id: unit_1_id,
              silo_2_id: unit_2_id,
              more: 1,
            }))
          if (path.startsWith('/positions/')) delete body.nextCursor
          return body
        },
      },
    ],
  ] as [string, ProxyOptions][])
    test(`a copy of ${what} answers every request alike`, { timeout: 120_000 }, async () => {
      const source = await startOnFixture()
      const copy = await startGateway({ now: source.deps.now })
      const proxy = await startProxy(source.base, options)
      try {
        await mirror(copy, {
          base: proxy.base,
          users: ['0xCA70000000000000000000000000000000000003'],
        })
        const requests = await everyRequest(source)
        expect(
          await differences(source, copy, options.answer ? someOf(requests, 3) : requests),
        ).toEqual([])
      } finally {
        await Promise.all([source.close(), copy.close(), proxy.close()])
      }
    })
})

describe('a server that cannot be believed', () => {
  let source: Gateway
  let dir: string
  let proxy: ProxyServer | undefined
  beforeAll(async () => {
    source = await startOnSample({ users: 7, days: 40 })
  })
  afterAll(() => source.close())
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mirror-test-'))
  })
  afterEach(async () => {
    await proxy?.close()
    proxy = undefined
    await rm(dir, { recursive: true })
  })

  const walk = async (options: ProxyOptions, more: Partial<MirrorOptions> = {}, from = source) => {
    proxy = await startProxy(from.base, options)
    return mirrorGateway({ client, base: proxy.base, ...more }, dir)
  }
  const isPositions = (path: string) => path.startsWith('/positions/breakdown-by-assets')
  const isUser = (name: string) => (path: string) =>
    path.startsWith('/v1/users/') && path.includes(name)
  const when =
    (matches: (path: string) => boolean, change: (body: any, path: string) => any) =>
    (path: string, body: any) =>
      matches(path) ? change(body, path) || body : body

  /** Changes the cash flows of users who have any. */
  const activity = (change: (nodes: any[]) => void) =>
    when(
      (path) => path === '/graphql',
      ({ data }) => {
        const { nodes = [] } = data?.user?.activity ?? {}
        if (nodes.length > 0) change(nodes)
      },
    )

  let cursor: string
  const faults: [string, ProxyOptions, RegExp][] = [
    [
      'answers 404 to everything',
      { answer: only(() => false) },
      /^http:\S+ is not a gateway: it has no \/pools\/all\.$/,
    ],
    [
      'has no indexer API',
      { answer: only((path) => !path.startsWith('/v1/')) },
      /^http:\S+ is not a gateway: it has no \/v1\/users\/\{address\}\/net-apr\.$/,
    ],
    [
      'refuses access',
      { answer: (_, response) => !!response.writeHead(403).end() },
      /refused access \(403\)/,
    ],
    [
      'cuts the connection',
      {
        answer: ({ path }, response) =>
          isPositions(path) && path.includes('cursor') && !!response.destroy(),
      },
      /closed the connection/,
    ],
    [
      'answers what is no JSON',
      {
        answer: ({ path }, response) =>
          path === '/multipliers/all' && !!response.end('<html>hello'),
      },
      /is not JSON/,
    ],
    [
      'has no pools',
      {
        change: when(
          (path) => path === '/pools/all',
          () => [],
        ),
      },
      /its list of pools is empty/,
    ],
    [
      'has pools twice',
      {
        change: when(
          (path) => path === '/pools/all',
          (pools) => [...pools, pools[0]],
        ),
      },
      /a pool came twice/,
    ],
    [
      'has a pool without an address',
      {
        change: when(
          (path) => path === '/pools/all',
          (pools) => [{ ...pools[0], id: 'one' }],
        ),
      },
      /the answer of \/pools\/all is not as documented: 0\.id must be an address/,
    ],
    [
      'has a multiplier of no pool',
      {
        change: when(
          (path) => path === '/multipliers/all',
          ([first]) => [{ ...first, poolAddress: NOBODY }],
        ),
      },
      /a multiplier of 0xf+, but no such pool/,
    ],
    [
      'repeats a cursor',
      {
        change: when(isPositions, (body) => {
          cursor ??= body.nextCursor
          body.nextCursor = cursor
        }),
      },
      /the nextCursor \S+ of its positions came twice/,
    ],
    [
      'repeats a page',
      { answer: ({ path }, response) => isPositions(path) && repeatPage(path, response) },
      /the position of 0x\w+ in 0x\w+ on \d{4}-\d\d-\d\d came twice|has more positions of/,
    ],
    [
      'has no positions',
      { change: when(isPositions, () => ({ items: [], nextCursor: null })) },
      /it gave 0 positions of \d{4}-\d\d-\d\d, fewer than the \d+ that its report counts/,
    ],
    [
      'ends its positions too early',
      {
        change: when(
          isPositions,
          (body, path) => path.includes('cursor') && { ...body, nextCursor: null },
        ),
      },
      /it gave \d+ positions of \d{4}-\d\d-\d\d, fewer than/,
    ],
    [
      'has an empty page with a cursor',
      {
        change: when(
          isPositions,
          (body, path) => path.includes('cursor') && { items: [], nextCursor: body.nextCursor },
        ),
      },
      /a page of positions is empty, yet has a nextCursor/,
    ],
    [
      'counts fewer positions than it gives',
      {
        change: when(
          (path) => path === '/points/reports',
          ({ items }) => void items[1].positionCount--,
        ),
      },
      /more positions of \d{4}-\d\d-\d\d than the \d+ that its report counts/,
    ],
    [
      'has no report of a date',
      {
        change: when(
          (path) => path === '/points/reports',
          ({ items }) => void items.pop(),
        ),
      },
      /which \/points\/reports does not have/,
    ],
    [
      'has a position with a wrong price',
      {
        change: when(
          isPositions,
          ({ items }) => Object.assign(items[3], { aTokenPrice: null }) && undefined,
        ),
      },
      /\/positions\/breakdown-by-assets is not as documented: items\.3\.aTokenPrice must be a number/,
    ],
    [
      'has points that do not add up',
      { change: when(isPositions, ({ items }) => void items[2].points++) },
      /items\.2 has points that are not pointsA \+ pointsB/,
    ],
    [
      'says that snapshots end when they do not',
      { change: when(isUser('market-position'), ({ pagination }) => void pagination.total++) },
      /market-position-snapshots ended after \d+ of \d+ rows/,
    ],
    [
      'says that snapshots go on when they do not',
      {
        change: when(
          isUser('vault-position'),
          ({ pagination }) => Object.assign(pagination, { has_more: true }) && undefined,
        ),
      },
      /vault-position-snapshots announces more rows after \d+ of \d+/,
    ],
    [
      'gives the first page again',
      {
        change: when(isUser('market-position'), ({ data, pagination }) => {
          pagination.has_more = true
          pagination.total = 2 * data.length
          pagination.page = 1
        }),
      },
      /gave page 1 when asked for page 2/,
    ],
    [
      'gives a snapshot twice',
      {
        change: when(isUser('market-position'), ({ data, pagination }) => {
          pagination.total++
          data.push(data[0])
        }),
      },
      /the snapshot of 0x\w+ in the market 0x\w+ at \d+ \(position .+\) came twice/,
    ],
    [
      'gives a snapshot of another user',
      {
        change: when(
          isUser('market-position'),
          ({ data }) => Object.assign(data[0], { accountId: NOBODY }) && undefined,
        ),
      },
      /asked for data of 0x\w+, it returned a market snapshot of 0xf+/,
    ],
    [
      'names a market that it does not list',
      {
        change: when(
          isUser('market-position'),
          ({ data }) => Object.assign(data[0], { marketId: NOBODY }) && undefined,
        ),
      },
      /names the market 0xf+ on chain \d+, which it does not list/,
    ],
    [
      'has an entity of no known kind',
      {
        change: when(
          isUser('earnings'),
          ({ data }) => Object.assign(data.breakdown[0], { entity_type: 'silo' }) && undefined,
        ),
      },
      /breakdown\.0\.entity_type must be market or vault/,
    ],
    [
      'fails in the middle',
      {
        answer: ({ path }, response) => isUser('earnings')(path) && !!response.writeHead(500).end(),
      },
      /it answered 500 \(tried 2 times\)/,
    ],
    [
      'has a graph that answers with an error',
      {
        change: when(
          (path) => path === '/graphql',
          (body) => body.data?.users && { errors: [{ message: 'no users today' }] },
        ),
      },
      /no users today/,
    ],
    [
      'has a graph that loses users',
      {
        change: when(
          (path) => path === '/graphql',
          ({ data }) => void data.users?.nodes.pop(),
        ),
      },
      /its graph gave \d+ users, and counts \d+/,
    ],
    [
      'has a cash flow twice',
      { change: activity((nodes) => void nodes.push(nodes[0])) },
      /the cash flow of 0x\w+ in 0x\w+ at \d+ came twice/,
    ],
    [
      'has a cash flow of another user',
      { change: activity(([flow]) => void Object.assign(flow, { user: { address: NOBODY } })) },
      /asked for data of 0x\w+, it returned a cash flow of 0xf+/,
    ],
    [
      'has a cash flow in a market that it does not list',
      {
        change: activity(
          ([flow]) => void Object.assign(flow, { entityType: 'MARKET', entityAddress: NOBODY }),
        ),
      },
      /names the market 0xf+ on chain \d+, which it does not list/,
    ],
    [
      'has cash flows that do not add up to the earnings',
      {
        change: activity((nodes) => {
          for (const flow of nodes) flow.amount.usd = 7
        }),
      },
      /the cash flows of 0x\w+ in the (market|vault) 0x\w+ add up to \S+, its earnings say \S+/,
    ],
    [
      'gives cash flows without end',
      {
        change: when(
          (path) => path === '/graphql',
          ({ data, errors }) => {
            if (!errors && !data.user?.activity) return
            return {
              data: {
                user: { activity: { nodes: [], pageInfo: { hasNextPage: true, endCursor: 'x' } } },
              },
            }
          },
        ),
      },
      /the cursors of its activity do not lead on/,
    ],
  ]
  let pages: string[]
  const repeatPage = (path: string, response: import('node:http').ServerResponse) => {
    // The same records behind ever new cursors.
    if (!path.includes('cursor')) return false
    void fetch(`${source.base}/positions/breakdown-by-assets?limit=100`)
      .then((answer) => answer.json())
      .then((body: any) =>
        response.end(JSON.stringify({ ...body, nextCursor: `cursor ${pages.push(path)}` })),
      )
    return true
  }

  for (const [what, options, sentence] of faults)
    test(`that ${what} is reported in a sentence`, async () => {
      cursor = undefined as unknown as string
      pages = []
      const error = await walk(options).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error).toMatchObject({ code: 'SOURCE_FAILED' })
      expect((error as Error).message).toMatch(sentence)
      expect((error as Error).message).toMatch(/^http:\/\/127\.0\.0\.1:\d+\S* .*\.$/s)
    })

  test('that is slow is given up', async () => {
    const hasty = openClient({ timeoutMs: 300, retries: 1, maxBytes: 1e7, waitMs: 10 })
    proxy = await startProxy(source.base, {
      async answer({ path }) {
        if (path.includes('cursor')) await new Promise((resolve) => setTimeout(resolve, 2000))
        return false
      },
    })
    try {
      await expect(mirrorGateway({ client: hasty, base: proxy.base }, dir)).rejects.toThrow(
        /did not answer within 0\.3 s/,
      )
    } finally {
      await hasty.close()
    }
  })

  test.skipIf(onCitus)('whose data change while they are read is read once more', async () => {
    const small = await startOnSample({ users: 3, days: 3 })
    const moves = async (times: number) => {
      let left = times
      const options: ProxyOptions = {
        async answer({ path }) {
          if (!path.endsWith('/earnings?page=1&page_size=1000') || left === 0) return false
          left--
          await small.deps.store.pool.query(
            'UPDATE market SET borrow_rate = borrow_rate + 0.001 WHERE id = (SELECT min(id) FROM market)',
          )
          return false
        },
      }
      return walk(options, { concurrency: 1 }, small)
    }
    try {
      expect(await moves(1)).toMatchObject({ graph: true })
      await proxy?.close()
      await expect(moves(1000)).rejects.toThrow(
        /its data changed while they were read, 2 times in a row\.$/,
      )
    } finally {
      await small.close()
    }
  })

  test('without a graph, changed data is detected by its reports', async () => {
    let asked = 0
    const options: ProxyOptions = {
      answer: documented,
      change: when(
        (path) => path === '/points/reports',
        ({ items }) => void items.unshift({ ...items.shift(), totalPoints: asked++ }),
      ),
    }
    await expect(walk(options)).rejects.toThrow(
      /its data changed while they were read, 2 times in a row\.$/,
    )
  })

  test('whose walk fails stores nothing, and leaves no files', async () => {
    const copy = await startGateway()
    proxy = await startProxy(source.base, {
      answer: ({ path }, response) => isUser('earnings')(path) && !!response.writeHead(400).end(),
    })
    // Other tests have files in the directory of all.
    vi.stubEnv('TMPDIR', dir)
    try {
      await expect(mirror(copy, { base: proxy.base })).rejects.toThrow(/answered 400/)
      const { rows } = await copy.deps.store.pool.query(
        'SELECT FROM pool UNION ALL SELECT FROM "user"',
      )
      expect(rows).toEqual([])
      expect(await readdir(dir)).toEqual([])
    } finally {
      vi.unstubAllEnvs()
      await copy.close()
    }
  })

  test('can be stopped at any time', async () => {
    for (const at of [
      '/pools/all',
      'cursor=',
      '/graphql',
      'vault-position',
      'earnings',
      'rewards',
    ]) {
      const stop = new AbortController()
      const walking = walk(
        {
          answer: ({ path }) => {
            if (path.includes(at)) stop.abort()
            return false
          },
        },
        { signal: stop.signal },
      )
      await expect(walking).rejects.toMatchObject({ name: 'AbortError' })
      await proxy?.close()
    }
  })

  test('is an http(s) address, and users are addresses', async () => {
    await expect(mirrorGateway({ client, base: 'ftp://here' }, dir)).rejects.toThrow(
      'A server is named by a URL that begins with http:// or https://.',
    )
    await expect(
      mirrorGateway({ client, base: source.base, users: ['0x12'] }, dir),
    ).rejects.toThrow('0x12 is not a user: an address is 0x and 40 hex digits.')
    await expect(mirrorGateway({ client, base: 'http://127.0.0.1:9' }, dir)).rejects.toThrow(
      /nothing listens there/,
    )
  })
})
