import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles, pool } from '../support/one-pool.ts'

const id = (digit: string) => `0x${digit.repeat(40)}`
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  const of = (digit: string, a: string, b: string, marketId: number, chainId = 1) => ({
    ...pool,
    id: id(digit),
    chainId,
    marketId,
    name: `${a}/${b}`,
    asset_1_symbol: a,
    asset_1_name: `${a} coin`,
    asset_1_address: `0x${a.charCodeAt(0).toString(16).repeat(20)}`,
    asset_2_symbol: b,
    asset_2_name: b,
    asset_2_address: id('3'),
    unit_1_id: id('4'),
    unit_2_id: id('5'),
  })
  await importFiles(gateway, {
    pools: [
      of('1', 'S', 'USDC', 7),
      of('2', 'stS', 'S', 8, 146),
      of('a', '50%_off', 'x', 9),
      of('b', 'wS', 'USDC', 10),
    ],
    markets: [
      {
        chainId: 1,
        id: id('4'),
        poolId: id('1'),
        assetAddress: id('6'),
        assetSymbol: 'S',
        assetDecimals: 18,
        depositRate: 0,
        borrowRate: 0,
      },
    ],
    vaults: [
      {
        chainId: 1,
        id: id('7'),
        name: 'Prime USDC',
        assetAddress: id('8'),
        assetSymbol: 'USDC',
        assetDecimals: 6,
        depositRate: 0,
      },
    ],
  })
})
afterAll(() => gateway.close())

const query = `query ($text: String!, $chainId: SafeInt, $first: Int! = 10) { search(text: $text, chainId: $chainId, first: $first) {
  match item { __typename ... on Pool { name } ... on Market { asset { symbol } pool { name } } ... on Vault { vault: name } ... on User { address points: totalPoints } } } }`
async function search(text: string, more: object = {}): Promise<string[]> {
  const data = await gateway.ask(query, { text, ...more })
  return data.search.map(
    ({ match, item }: any) =>
      `${match} ${item.__typename} ${item.name ?? item.asset?.symbol ?? item.vault ?? item.address}`,
  )
}

test('an exact symbol comes before what begins with it, and that before what holds it', async () => {
  expect(await search('s')).toEqual([
    'EXACT_NAME Pool stS/S',
    'EXACT_NAME Pool S/USDC',
    'EXACT_NAME Market S',
    'SUBSTRING Pool wS/USDC',
    'SUBSTRING Vault Prime USDC',
  ])
  expect(await search(' usd ')).toEqual([
    'PREFIX Pool S/USDC',
    'PREFIX Pool wS/USDC',
    'PREFIX Vault Prime USDC',
  ])
  expect(await search('usd', { first: 2 })).toHaveLength(2)
  expect(await search('s', { chainId: 146 })).toEqual(['EXACT_NAME Pool stS/S'])
})

test('by address, whole or its beginning, in any case; by the name that a pool shows', async () => {
  expect((await search(id('A').replace('0x', '0X')))[0]).toBe('EXACT_ADDRESS Pool 50%_off/x')
  expect(await search(id('b').slice(0, 9))).toEqual(['PREFIX Pool wS/USDC'])
  expect(await search(id('6'))).toEqual(['EXACT_ADDRESS Market S'])
  expect(await search('sts·s·8')).toEqual(['EXACT_NAME Pool stS/S'])
})

test('users by an address or its beginning, after the entities at it; none on a chain', async () => {
  const addresses = ['ab', 'abc', 'b', '7'].map((digits) => `0x${digits.padEnd(40, '0')}`)
  const { pool } = gateway.deps.store
  await pool.query('INSERT INTO "user" SELECT unnest($1::text[])', [addresses])
  try {
    expect(await search('0xAB')).toEqual([
      `PREFIX User ${addresses[0]}`,
      `PREFIX User ${addresses[1]}`,
    ])
    expect(await search('0xAB', { first: 1 })).toEqual([`PREFIX User ${addresses[0]}`])
    expect(await search(addresses[1] ?? '')).toEqual([`EXACT_ADDRESS User ${addresses[1]}`])
    expect(await search('0xb')).toEqual(['PREFIX Pool wS/USDC', `PREFIX User ${addresses[2]}`])
    expect(await search('0x700')).toEqual([`PREFIX User ${addresses[3]}`])
    expect(await search('0x700', { chainId: 1 })).toEqual([])
    for (const text of ['ab', '0xabg', '0xab%', `${addresses[0]}0`])
      expect(await search(text)).toEqual([])
  } finally {
    await pool.query('DELETE FROM "user" WHERE user_address = ANY ($1)', [addresses])
  }
})

test('nothing in the text is a wildcard or a way out of it', async () => {
  expect(await search('%')).toEqual(['SUBSTRING Pool 50%_off/x'])
  expect(await search('_')).toEqual(['SUBSTRING Pool 50%_off/x'])
  expect(await search("'; DROP TABLE pool; --")).toEqual([])
  expect(await search('\\')).toEqual([])
  expect(await search('no such thing')).toEqual([])
})

test('empty and endless texts are refused', async () => {
  for (const [variables, message] of [
    [{ text: '  ' }, 'text must not be empty.'],
    [{ text: 'x'.repeat(101) }, 'text must be at most 100 characters.'],
    [{ text: 'a\0' }, 'text must not hold a NUL character.'],
    [{ text: 'a', first: 101 }, 'first must be from 0 to 100.'],
  ] as const) {
    const { errors } = await gateway.graphql(query, variables)
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_INPUT' } })
  }
})

test('in thousands of pools: four statements', async () => {
  await gateway.deps.store.pool.query(
    `INSERT INTO pool SELECT '0x' || lpad(to_hex(n), 40, '0'), 1, n, 'P' || n || '/USDC', 'a', 'a', 'P' || n, 'b', 'b', 'USDC', 0, 0, 'c', 'd'
     FROM generate_series(100, 10099) n`,
  )
  for (let warm = 0; warm < 2; warm++) await search('usdc', { first: 100 })
  gateway.statements.length = 0
  expect(await search('usdc', { first: 100 })).toHaveLength(100)
  expect(gateway.statements.length).toBeLessThanOrEqual(5)
  expect((await search('p5000'))[0]).toBe('EXACT_NAME Pool P5000/USDC')
})
