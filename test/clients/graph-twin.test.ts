import { randomInt } from 'node:crypto'
import { buildSchema, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../src/rest/index.ts'
import { type Json, jsonOf } from '../rest/fixture.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** Each documented GET links to the graph, which holds the same values. */

const now = new Date('2026-11-21T10:20:30.456Z')
let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({
    users: randomInt(20, 60),
    days: randomInt(5, 40),
    now: () => now,
    env: { TRUSTED_DOCUMENTS_ONLY: 'true' },
  })
  await readWorld()
}, 120_000)
afterAll(() => gateway?.close())

const followed = async (path: string, init?: RequestInit) => {
  const response = await fetch(gateway.base + path, {
    ...init,
    headers: { 'cache-control': 'no-cache' },
  })
  const [, target] = /^<([^>]+)>; rel="alternate"$/.exec(response.headers.get('link') ?? '') ?? []
  if (target === undefined) throw new Error(`${path} has no link: ${response.headers.get('link')}`)
  return { response, target }
}

interface World {
  users: string[]
  assets: string[]
  pools: string[]
  records: string[]
  dates: string[]
  markets: string[]
  vaults: string[]
}
let world: World
/** What requests can ask for. */
async function readWorld() {
  const { rows: users } = await gateway.deps.store.pool.query(
    'SELECT user_address AS address FROM "user"',
  )
  const pools: Json[] = await jsonOf(gateway, '/pools/all', 201)
  const { items } = await jsonOf(gateway, '/points/breakdown-by-assets?limit=100')
  const { items: reports } = await jsonOf(gateway, '/points/reports')
  const { rows: vaults } = await gateway.deps.store.pool.query('SELECT DISTINCT id FROM vault')
  world = {
    users: [...users.map(({ address }) => address), `0x${'f'.repeat(40)}`],
    assets: pools.flatMap((pool) => [pool.asset_1_address, pool.asset_2_address]),
    pools: pools.map(({ id }) => id),
    records: items.map(({ id }: Json) => id),
    dates: reports.map(({ distributionDate }: Json) => distributionDate),
    markets: pools.flatMap((pool) => [pool.unit_1_id, pool.unit_2_id]),
    vaults: vaults.map(({ id }) => id),
  }
}

const oneOf = <T>(values: readonly T[]): T => values[randomInt(values.length)] as T
const maybe = (name: string, value: () => unknown) => (randomInt(2) ? `&${name}=${value()}` : '')
const user = () => oneOf(world.users)
const account = () => maybe('account', user)
const cursored = () =>
  maybe('cursor', () => oneOf(world.records)) +
  maybe('limit', () => randomInt(1, 101)) +
  maybe('sort', () => oneOf(['supplied', 'borrowed', 'points'])) +
  maybe('order', () => oneOf(['asc', 'desc']))
const assets = () => maybe('asset[]', () => [oneOf(world.assets), oneOf(world.assets)].join(','))
const paged = () =>
  maybe('page', () => randomInt(1, 4)) +
  maybe('page_size', () => oneOf([1, 3, 20, 1000])) +
  maybe('chain_id', () => oneOf([1, 146]))
const seconds = (daysAgo: number) => Math.floor(now.getTime() / 1000) - daysAgo * 86_400
const window = () =>
  maybe('from_timestamp', () => seconds(randomInt(20, 50))) +
  maybe('to_timestamp', () => seconds(randomInt(0, 10))) +
  maybe('should_group_by_timestamp', () => oneOf(['true', 'false', '', 'null']))

const v1 = (name: string) => `/v1/users/${user()}/${name}`
const breakdown = {
  'items[]': ['legacy.positions.nodes[]'],
  nextCursor: ['last legacy.positions.nodes[].id'],
}
const pages = (list: string, chain = '$chainId') => ({
  'pagination.page': ['page of $offset and $first'],
  'pagination.page_size': ['$first'],
  'pagination.total': [`${list}.totalCount`],
  'pagination.has_more': [`${list}.pageInfo.hasNextPage`],
  'filters.chain_id': [chain],
})
const breakdownOf = (at: string) => ({
  'data.breakdown[]': [`${at}.breakdown[]`],
  ...pages(''),
  'pagination.total': [`${at}.entityCount`],
  'pagination.has_more': [`rows after ${at}`],
})
const totals = (names: string, at: string) =>
  Object.fromEntries(names.split(' ').map((name) => [`data.${name}`, [`${at}.${name}`]]))
const snapshots = (list: string, entity: string) => ({
  'data[]': [`${list}.nodes[]`],
  ...pages(list, '$chainIds'),
  [`filters.${entity}`]: ['$entities'],
  'filters.from_timestamp': ['$from'],
  'filters.to_timestamp': ['$to'],
  'filters.should_group_by_timestamp': ['$grouped'],
})
const rewards = (list: string, entity: string) => ({
  'data[]': [`${list}.nodes[]`],
  ...pages(list, '$chainIds'),
  [`filters.${entity}`]: [`$${entity}`],
})

/** For each endpoint: random requests, and where the values of the answer are in the graph's. */
const twins: Record<string, { path(): string; places: Record<string, string[]> }> = {
  '/points/leaderboard': {
    path: () => `/points/leaderboard?${account()}`,
    places: {
      'topAccounts[]': ['leaderboard.nodes[]', 'entry of user'],
      total: ['leaderboard.totalCount'],
    },
  },
  '/points/userpoints': {
    path: () => `/points/userpoints?${account()}`,
    places: {
      account: ['user.account'],
      userPoints: ['user.userPoints'],
      totalPoints: ['program.totalPoints'],
    },
  },
  '/points/breakdown-by-assets': {
    path: () => `/points/breakdown-by-assets?${cursored()}${assets()}`,
    places: breakdown,
  },
  '/points/reports': {
    path: () => '/points/reports',
    places: { 'items[]': ['distributions.nodes[]'] },
  },
  '/points/{address}': {
    path: () =>
      `/points/${user()}?${maybe('limit', () => randomInt(1, 5))}${maybe('cursor', () => oneOf(world.dates))}`,
    places: {
      'items[]': ['user.dailyPoints.nodes[]'],
      nextCursor: ['last user.dailyPoints.nodes[].distributionDate'],
    },
  },
  '/multipliers/all': { path: () => '/multipliers/all', places: { '[]': ['multipliers.nodes[]'] } },
  '/pools/all': { path: () => '/pools/all', places: { '[]': ['pools.nodes[]'] } },
  '/positions/breakdown-by-assets': {
    path: () => `/positions/breakdown-by-assets?${cursored()}${assets()}`,
    places: breakdown,
  },
  '/positions/breakdown-by-markets': {
    path: () =>
      `/positions/breakdown-by-markets?${cursored()}${maybe('market', () => oneOf(world.pools))}`,
    places: breakdown,
  },
  '/positions/{address}': {
    path: () => `/positions/${user()}`,
    places: { 'points[]': ['accounts of user'], totalPoints: ['program.totalPoints'] },
  },
  '/v1/users/{address}/market-position-snapshots': {
    path: () =>
      `${v1('market-position-snapshots')}?${paged()}${window()}${maybe('market', () => oneOf(world.markets))}`,
    places: snapshots('user.legacy.marketSnapshots', 'market'),
  },
  '/v1/users/{address}/vault-position-snapshots': {
    path: () =>
      `${v1('vault-position-snapshots')}?${paged()}${window()}${maybe('vault', () => oneOf(world.vaults))}`,
    places: snapshots('user.legacy.vaultSnapshots', 'vault'),
  },
  '/v1/users/{address}/market-liquidation-rewards': {
    path: () =>
      `${v1('market-liquidation-rewards')}?market=${oneOf(world.markets)}${paged().replace(/&chain_id=\d+/, '')}`,
    places: rewards('user.liquidationRewards', 'market'),
  },
  '/v1/users/{address}/vault-liquidation-rewards': {
    path: () =>
      `${v1('vault-liquidation-rewards')}?vault=${oneOf(world.vaults)}${paged().replace(/&chain_id=\d+/, '')}`,
    places: rewards('user.liquidationRewards', 'vault'),
  },
  '/v1/users/{address}/earnings': {
    path: () => `${v1('earnings')}?${paged()}`,
    places: {
      ...totals(
        'total_earnings_usd total_current_value_usd total_net_cash_invested_usd',
        'user.earnings',
      ),
      ...totals('has_incomplete_prices', 'user.earnings.legacy'),
      ...breakdownOf('user.earnings'),
    },
  },
  '/v1/users/{address}/net-apr': {
    path: () => `${v1('net-apr')}?${paged()}`,
    places: {
      ...totals('earn_net_apr borrow_net_apr', 'user.netApr.legacy'),
      ...totals('total_earn_deposits_usd total_borrow_usd', 'user.netApr'),
      ...breakdownOf('user.netApr'),
    },
  },
}

const at = (value: Json, path: string): Json =>
  path === '' ? value : path.split('.').reduce((node, key) => node?.[key], value)

/**
 * Values that REST has next to each other and the graph in separate objects. REST names the USD of
 * an amount after it.
 */
function merged(record: Json): Json {
  const inner = Object.values<Json>(record).filter(
    (value) => value && typeof value === 'object' && !Array.isArray(value),
  )
  const amounts = Object.entries<Json>(record).flatMap(([name, value]) =>
    value && typeof value === 'object' && 'raw' in value
      ? { [name]: value.raw, [`${name}Usd`]: value.usd }
      : [],
  )
  return Object.assign({}, ...inner.map(merged), record, ...amounts)
}

/**
 * A value of the graph as REST writes it: `rank` and `total` are texts there, amounts of positions
 * numbers, dates moments, and entity types are in lower case.
 */
function expectSame(rest: Json, graph: Json, path: string): void {
  if (Array.isArray(rest)) {
    expect(graph, path).toHaveLength(rest.length)
    for (const [i, one] of rest.entries()) expectSame(one, graph[i], `${path}[${i}]`)
  } else if (rest !== null && typeof rest === 'object') {
    const twin = merged(graph)
    for (const [key, value] of Object.entries(rest)) expectSame(value, twin[key], `${path}.${key}`)
  } else if (typeof rest === 'string' && typeof graph === 'number')
    expect(String(graph), path).toBe(rest)
  else if (typeof rest === 'number' && typeof graph === 'string')
    expect(Number(graph), path).toBe(rest)
  else if (/^\d{4}-\d\d-\d\d$/.test(graph)) expect(`${graph}T00:00:00.000Z`, path).toBe(rest)
  else expect(/entity_type$/.test(path) ? String(graph).toLowerCase() : graph, path).toBe(rest)
}

/** What is at a place of the graph's answer, or among the variables of the link. */
function placed(place: string, data: Json, variables: Json): Json {
  if (place === 'accounts of user') {
    const { lastDate: lastSnapshotDate } = data.user
    return lastSnapshotDate
      ? [{ ...data.user, lastSnapshotDate, timestamp: now.toISOString() }]
      : []
  }
  if (place === 'entry of user') return data.user?.rank ? data.user : null
  if (place === 'page of $offset and $first') return Number(variables.offset) / variables.first + 1
  if (place.startsWith('rows after ')) {
    const { breakdown, entityCount } = at(data, place.slice(11))
    return breakdown.length > 0 && Number(variables.offset) + breakdown.length < entityCount
  }
  if (place.startsWith('$')) return variables[place.slice(1)] ?? null
  if (place.startsWith('last ')) {
    const [list = '', key = ''] = place.slice(5).split('[].')
    const { pageInfo } = at(data, list.replace(/\.nodes$/, ''))
    return pageInfo.hasNextPage ? merged(at(data, list).at(-1))[key] : null
  }
  return at(data, place.replace('[]', ''))
}

/** Every value of an answer is at one of the places; @returns how many leaves there were */
function expectTwin(
  rest: Json,
  places: Record<string, string[]>,
  data: Json,
  variables: Json,
): void {
  const left = structuredClone(rest)
  for (const [name, sources] of Object.entries(places)) {
    const parts = sources.map((place) => placed(place, data, variables))
    const path = name.replace('[]', '')
    const value = at(rest, path)
    if (name.endsWith('[]'))
      expectSame(
        value,
        parts.flat().filter((one) => one != null),
        name,
      )
    else if (value !== undefined) expectSame(value, parts[0], name)
    if (path === '') return
    const [parent, key] = [path.split('.').slice(0, -1).join('.'), path.split('.').at(-1) as string]
    delete at(left, parent)[key]
  }
  for (const key of ['data', 'pagination', 'filters'])
    if (JSON.stringify(left[key]) === '{}') delete left[key]
  expect(left, 'values whose place the guide does not give').toEqual({})
}

const gets = endpoints.filter(([method]) => method === 'GET').map(([, path]) => path)

describe('the graph holds the values of', () => {
  it.each(gets)('GET %s', { timeout: 120_000 }, async (name) => {
    const { path, places } = twins[name] ?? { path: () => '', places: {} }
    for (let i = 0; i < 12; i++) {
      const asked = path()
      try {
        const { response, target } = await followed(asked)
        const rest: Json = await response.json()
        const twin = await fetch(gateway.base + target)
        const { data, errors }: Json = await twin.json()
        expect([twin.status, errors]).toEqual([200, undefined])
        const parameters = new URL(target, gateway.base).searchParams
        expect([...parameters.keys()]).toEqual(['documentId', 'variables'])
        expectTwin(rest, places, data, JSON.parse(parameters.get('variables') ?? ''))
      } catch (error) {
        throw new Error(`${asked}: ${error}`, { cause: error })
      }
    }
  })
})

describe('the link', () => {
  it('is that of GET in an answer to HEAD, in a cached answer, and in a compressed one', async () => {
    for (const name of gets) {
      const path = twins[name]?.path() as string
      const { response, target } = await followed(path)
      expect(response.headers.get('access-control-expose-headers')).toMatch(/\blink\b/)
      expect((await followed(path, { method: 'HEAD' })).target).toBe(target)
      for (const encoding of ['identity', 'gzip', 'br']) {
        const kept = await fetch(gateway.base + path, { headers: { 'accept-encoding': encoding } })
        expect(kept.headers.get('link')).toBe(`<${target}>; rel="alternate"`)
      }
    }
  })

  it('is on no problem, and on no answer whose link would not fit into the headers that proxies take', async () => {
    expect((await gateway.get('/points/leaderboard?account=x')).headers.get('link')).toBeNull()
    const assets = Array.from({ length: 100 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`)
    const long = await gateway.get(`/positions/breakdown-by-assets?asset=${assets.join(',')}`)
    expect([long.status, long.headers.get('link')]).toEqual([200, null])
  })

  it('requests nothing where the endpoint was given text that is not an address', async () => {
    const market = `<>"';,\\ ü/?#&=%`
    const { target } = await followed(
      `/positions/breakdown-by-markets?market=${encodeURIComponent(market)}`,
    )
    expect(target).toMatch(/^[!-~]+$/)
    expect(
      JSON.parse(new URL(target, gateway.base).searchParams.get('variables') ?? '').pools,
    ).toEqual([])
    expect(await (await fetch(gateway.base + target)).json()).toMatchObject({
      data: { legacy: { positions: { nodes: [] } } },
    })
  })
})

it('the operation of each endpoint is in OpenAPI, and valid in the schema that is served', async () => {
  const { paths } = await jsonOf(gateway, '/openapi.json')
  const schema = buildSchema(
    await (await import('node:fs/promises')).readFile('src/generated/rest-schema.graphql', 'utf8'),
  )
  for (const [method, path] of endpoints) {
    const text = paths[path][method.toLowerCase()]['x-graphql-operation']
    expect(validate(schema, parse(text)), path).toEqual([])
    expect(text, path).not.toMatch(/@(?!include)/)
  }
})
