import { parse } from 'graphql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { printSubgraph } from '../../src/graphql/schema/federation.ts'
import { nobody, upper } from '../rest/fixture.ts'
import { command } from '../support/command-line.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
let users: string[]
let pools: { address: string; name: string }[]
let markets: { chainId: number; address: string; asset: { symbol: string } }[]
let vaults: { chainId: number; address: string; name: string }[]
beforeAll(async () => {
  gateway = await startOnSample({ env: { FEDERATION: 'true' } })
  const { data } = await gateway.graphql(`{
    leaderboard(first: 40) { nodes { userAddress } }
    pools(first: 5) { nodes { address name } }
    markets(first: 10) { nodes { chainId address asset { symbol } } }
    vaults(first: 5) { nodes { chainId address name } }
  }`)
  users = data.leaderboard.nodes.map((one: { userAddress: string }) => one.userAddress)
  pools = data.pools.nodes
  markets = data.markets.nodes
  vaults = data.vaults.nodes
})
afterAll(() => gateway?.close())
beforeEach(() => {
  gateway.statements.length = 0
})

const fields = `
  __typename
  ... on User { address rank }
  ... on Pool { address name }
  ... on Market { chainId address asset { symbol } pool { name } }
  ... on Vault { chainId address name }`
const entitiesOf = (representations: unknown[]) =>
  gateway.graphql(
    `query ($representations: [_Any!]!) { _entities(representations: $representations) { ${fields} } }`,
    {
      representations,
    },
  )
const reads = () => gateway.statements.filter((sql) => /^\s*(WITH|SELECT)/i.test(sql)).length

test('the SDL is a subgraph of Federation 2, with the four keys', async () => {
  const { data } = await gateway.graphql(
    '{ _service { sdl } __type(name: "_Entity") { possibleTypes { name } } __schema { types { name } } }',
  )
  const { sdl } = data._service
  expect(sdl).toBe(printSubgraph())
  for (const key of [
    /^type User implements Node\s+@key\(fields: "address"\)/m,
    /^type Pool implements Node\s+@key\(fields: "address"\)/m,
    /^type Market implements Entity & Node\s+@key\(fields: "chainId address"\)/m,
    /^type Vault implements Entity & Node\s+@key\(fields: "chainId address"\)/m,
    /^type PageInfo\s+@shareable/m,
  ])
    expect(sdl).toMatch(key)
  expect(sdl).not.toMatch(/_entities|_service|_Entity|_Service|_Any/)
  const names = (types: { name: string }[]) => types.map(({ name }) => name).sort()
  expect(names(data.__type.possibleTypes)).toEqual(['Market', 'Pool', 'User', 'Vault'])
  const printed = parse(sdl).definitions.flatMap((one) =>
    'name' in one && one.name ? [{ name: one.name.value }] : [],
  )
  const unprinted = /^(__|_Entity$|_Service$|_Any$|(Boolean|Float|ID|Int|String)$)/
  expect(names(printed)).toEqual(names(data.__schema.types).filter((name) => !unprinted.test(name)))
})

test('entities come in the order of their representations; null is one that the store does not have', async () => {
  const [user, pool, market, vault] = [users[0]!, pools[0]!, markets[0]!, vaults[0]!]
  const representations = [
    { __typename: 'Vault', chainId: vault.chainId, address: vault.address },
    { __typename: 'User', address: upper(user) },
    { __typename: 'Pool', address: nobody },
    {
      __typename: 'Market',
      chainId: market.chainId,
      address: market.address,
      depositApr: 'of no key',
    },
    { __typename: 'Market', chainId: 999_999, address: market.address },
    { __typename: 'Pool', address: pool.address },
    { __typename: 'Pool', address: pool.address },
  ]
  const first = await entitiesOf(representations)
  expect(first.errors).toBeUndefined()
  expect(first.data._entities).toEqual([
    { __typename: 'Vault', ...vault },
    { __typename: 'User', address: user, rank: 1 },
    null,
    { __typename: 'Market', ...market, pool: { name: expect.any(String) } },
    null,
    { __typename: 'Pool', ...pool },
    { __typename: 'Pool', ...pool },
  ])
  for (let i = 0; i < 3; i++) expect(await entitiesOf(representations)).toEqual(first)
})

test('a user whom the store does not know is one without points', async () => {
  const { data } = await entitiesOf([{ __typename: 'User', address: nobody }])
  expect(data._entities).toEqual([{ __typename: 'User', address: nobody, rank: null }])
})

test('many representations are as many statements as one of each type', async () => {
  const all = (n: number) => [
    ...users.slice(0, n).map((address) => ({ __typename: 'User', address })),
    ...pools.slice(0, n).map(({ address }) => ({ __typename: 'Pool', address })),
    ...markets
      .slice(0, n)
      .map(({ chainId, address }) => ({ __typename: 'Market', chainId, address })),
    ...vaults
      .slice(0, n)
      .map(({ chainId, address }) => ({ __typename: 'Vault', chainId, address })),
  ]
  await entitiesOf(all(1))
  gateway.statements.length = 0
  await entitiesOf(all(1))
  const one = reads()
  expect(one).toBeGreaterThan(0)
  gateway.statements.length = 0
  const { data } = await entitiesOf(all(40))
  expect(data._entities.length).toBeGreaterThan(50)
  expect(reads()).toBe(one)
})

test.each([
  ['no object', 7],
  ['null in an object', { __typename: null }],
  ['no type', { address: nobody }],
  ['a type that is not an entity', { __typename: 'Asset', address: nobody }],
  ['a type of no schema', { __typename: 'constructor' }],
  ['no key', { __typename: 'Pool' }],
  ['half a key', { __typename: 'Market', address: nobody }],
  ['a key that is null', { __typename: 'User', address: null }],
  ['an invalid address', { __typename: 'User', address: 'me' }],
  ['a chain that is not a number', { __typename: 'Vault', address: nobody, chainId: '1' }],
])('%s is an error with a code in its place, and the others are answered', async (_, malformed) => {
  for (let i = 0; i < 3; i++) {
    const { data, errors } = await entitiesOf([
      malformed,
      { __typename: 'Pool', address: pools[0]!.address },
    ])
    expect(data._entities).toEqual([null, { __typename: 'Pool', ...pools[0] }])
    expect(errors).toHaveLength(1)
    expect(errors?.[0]).toMatchObject({ path: ['_entities', 0], extensions: { code: 'BAD_INPUT' } })
  }
})

test('too many representations are refused', async () => {
  const { errors } = await entitiesOf(Array(10_001).fill({ __typename: 'User', address: nobody }))
  expect(errors?.[0]).toMatchObject({ extensions: { code: 'BAD_INPUT' } })
})

test('the rest of the graph, and REST, are as they are without federation', async () => {
  expect((await gateway.get('/points/leaderboard')).status).toBe(200)
  await gateway.ask(
    'query ($address: Address!) { user(address: $address) { points: totalPoints dailyPoints(last: 1) { pageInfo { hasNextPage } } } }',
    { address: users[0] },
  )
})

test('it is off unless FEDERATION is true', async () => {
  const plain = await startGateway({ on: gateway })
  try {
    const { errors } = await plain.graphql('{ _service { sdl } }')
    expect(errors?.[0]?.message).toMatch(/_service/)
  } finally {
    await plain.close()
  }
})

test('`schema --federation` prints the SDL', async () => {
  const { code, out } = await command(['schema', '--federation'], {})
  expect(code).toBe(0)
  expect(out.trim()).toBe((await printSubgraph()).trim())
})
