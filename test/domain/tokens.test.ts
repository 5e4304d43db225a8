import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { exportStore } from '../../src/domain/dataset/export.ts'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { openDirectory } from '../../src/sources/index.ts'
import { isInstalled } from '../fire/redis-server.ts'
import { datasetOf, type Files, goodFiles, record } from '../support/datasets.ts'
import { everything } from '../support/dump.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { emptyTables, silent } from '../support/store.ts'

const SVG = 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg"/%3E'
const [S, USDC] = [record.pools.asset_1_address, record.pools.asset_2_address]
/** The token of a vault, which no pool has. */
const LONE = `0x${'e'.repeat(40)}`
const loneVault = {
  ...record.vaults,
  id: `0x${'f'.repeat(40)}`,
  assetAddress: LONE,
  assetSymbol: 'LONE',
}

/** A record of the name and the logo of the pool's token A. */
const token = (more: object = {}) => ({
  chainId: 1,
  address: S,
  name: 'Sonic token',
  logoURI: SVG,
  ...more,
})

const load = ({ deps }: Gateway, files: Files) =>
  importDataset({ ...deps, pool: deps.store.pool, log: silent }, datasetOf(files))
const problem = async (gateway: Gateway, tokens: object[]) => {
  const before = await everything(gateway.deps.store.pool)
  const error = await load(gateway, { tokens }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  expect(await everything(gateway.deps.store.pool)).toEqual(before)
  return error?.split('\n')[1]
}

describe.each([true, false])('plans: %s', (plan) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({
      plan,
      env: { LOGO_HOSTS: 'assets.example.org, cdn.example.org:8443' },
    })
    await load(gateway, { ...goodFiles(), tokens: [] })
  })
  afterAll(() => gateway.close())
  afterEach(() => emptyTables(gateway.deps.store.pool, ['token']))

  const asset = async (address = S) =>
    (await gateway.ask(`{ asset(chainId: 1, address: "${address}") { symbol name logoUri } }`))
      .asset

  test('a token has its name and its logo on every path, and REST has the name of the pool', async () => {
    const rest = () => gateway.get('/pools/all').then((response) => response.text())
    const before = await rest()
    expect(await asset()).toEqual({ symbol: 'S', name: 'Sonic', logoUri: null })
    await load(gateway, { tokens: [token()] })
    const fields = 'address name logoUri'
    const data = await gateway.ask(`{
      assets(where: { addresses: "${S}" }) { nodes { ${fields} } }
      pools { nodes { assetA { ${fields} } assetB { ${fields} } } }
      positions { nodes { sideA { asset { ${fields} } } } }
      series(groupBy: ASSET) { key { asset { ${fields} } } } }`)
    const named = { address: S, name: 'Sonic token', logoUri: SVG }
    const other = { address: USDC, name: 'USD Coin', logoUri: null }
    expect(data.assets.nodes).toEqual([named])
    expect(data.pools.nodes).toEqual([{ assetA: named, assetB: other }])
    expect(data.positions.nodes).toEqual([{ sideA: { asset: named } }])
    expect(data.series.map(({ key }: { key: object }) => key)).toContainEqual({ asset: named })
    expect(await rest()).toBe(before)
  })

  test('the token of a vault alone has its symbol for a name until a record names it', async () => {
    await load(gateway, { vaults: [loneVault] })
    const names = async () =>
      (
        await gateway.ask(
          `{ vault(chainId: 1, address: "${loneVault.id}") { asset { symbol name logoUri } } }`,
        )
      ).vault
    expect(await names()).toEqual({ asset: { symbol: 'LONE', name: 'LONE', logoUri: null } })
    await load(gateway, { tokens: [token({ address: LONE, name: 'Of a vault' })] })
    expect(await names()).toEqual({ asset: { symbol: 'LONE', name: 'Of a vault', logoUri: SVG } })
  })

  test('search finds pools, markets and vaults by the name of a token', async () => {
    const hits = async (text: string) =>
      (await gateway.ask(`{ search(text: "${text}") { match item { __typename } } }`)).search
    expect(await hits('sonic')).toEqual([{ match: 'EXACT_NAME', item: { __typename: 'Pool' } }])
    await load(gateway, { tokens: [token()] })
    expect(await hits('Sonic tok')).toEqual([
      { match: 'PREFIX', item: { __typename: 'Pool' } },
      { match: 'PREFIX', item: { __typename: 'Market' } },
    ])
    expect(await hits('nic token')).toHaveLength(2)
  })

  test('assets are sorted by the names that they show', async () => {
    await load(gateway, { tokens: [token({ name: 'zzz' }), token({ address: USDC, name: 'AAA' })] })
    const names = async (after?: string) =>
      (
        await gateway.ask(
          'query ($after: String) { assets(orderBy: NAME, first: 2, after: $after) { nodes { name } pageInfo { endCursor } } }',
          {
            after,
          },
        )
      ).assets
    const { nodes, pageInfo } = await names()
    const more = await names(pageInfo.endCursor)
    const all = [...nodes, ...more.nodes].map(({ name }: { name: string }) => name)
    expect(all).toEqual(all.toSorted())
    expect([all[0], all.at(-1)]).toEqual(['AAA', 'zzz'])
  })

  test.each([
    ['data:image/png;base64,iVBORw0KGgo=', true],
    ['data:image/webp;base64,UklGRg==', true],
    [SVG, true],
    ['DATA:image/SVG+xml;utf8,<svg/>', true],
    ['https://assets.example.org/s.png', true],
    ['HTTPS://Assets.Example.org/s.png', true],
    ['https://cdn.example.org:8443/s.png', true],
    ['https://cdn.example.org/s.png', false],
    ['http://assets.example.org/s.png', false],
    ['https://assets.example.org.evil.example/s.png', false],
    ['https://assets.example.org@evil.example/s.png', false],
    ['https://assetsxorg.example/s.png', false],
    ['https://evil.example/https://assets.example.org/', false],
    [' https://assets.example.org/s.png', false],
    ['//assets.example.org/s.png', false],
    ['javascript:alert(1)', false],
    ['data:text/html,<script>alert(1)</script>', false],
    ['data:image/svg+xmlx,<svg/>', false],
    ['ipfs://QmLogo', false],
    ['', false],
  ])('the logo %s is shown: %s', async (logoURI, isShown) => {
    await load(gateway, { tokens: [token({ logoURI })] })
    expect((await asset()).logoUri).toBe(isShown ? logoURI : null)
  })

  test('a cached answer is new after an import, and stays after the same import again', async () => {
    const get = async () => {
      const query = encodeURIComponent(
        `{ dataVersion asset(chainId: 1, address: "${S}") { name } }`,
      )
      const response = await fetch(`${gateway.base}/graphql?query=${query}`)
      return (await response.json()).data
    }
    expect((await get()).asset.name).toBe('Sonic')
    await load(gateway, { tokens: [token()] })
    await expect.poll(async () => (await get()).asset.name).toBe('Sonic token')
    const { dataVersion } = await get()
    const stored = await everything(gateway.deps.store.pool)
    const { files } = await load(gateway, { tokens: [token()] })
    expect(files['tokens.jsonl']).toEqual({ lines: 1, written: 0 })
    expect(await everything(gateway.deps.store.pool)).toEqual(stored)
    expect((await get()).dataVersion).toBe(dataVersion)
  })
})

describe('tokens.jsonl', () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway()
    await load(gateway, goodFiles())
  })
  afterAll(() => gateway.close())
  afterEach(() => emptyTables(gateway.deps.store.pool, ['token']))

  const rows = async () =>
    (await gateway.deps.store.pool.query('SELECT * FROM token ORDER BY address')).rows

  test('a record of a standard token list is one', async () => {
    const standard = {
      symbol: 'S',
      decimals: 18,
      tags: ['stable'],
      extensions: { bridge: { 10: 'x' } },
    }
    await load(gateway, { tokens: [{ ...token(), ...standard }] })
    expect(await rows()).toEqual([
      { chain_id: '1', address: S, name: 'Sonic token', logo_uri: SVG, moves_with: null },
    ])
  })

  test('what does not fit a token list is left out or changed, and the import says so', async () => {
    const at = (n: number) => `0x${String(n).padStart(40, '0')}`
    const long = `${'n'.repeat(498)}🦄${'n'.repeat(1000)}`
    const { logoURI: _, ...bare } = token()
    const tokens = [
      token({ address: S.toUpperCase(), symbol: 'S', decimals: 18 }),
      token({ logoURI: 'https://other.example/s.png', decimals: 6 }),
      token({ address: at(1), name: long }),
      token({ address: at(2), name: '' }),
      token({ chainId: 'solana:mainnet', address: 'So11111111111111111111111111111111111111112' }),
      token({ chainId: -1 }),
      token({ address: '0x12' }),
      token({ address: at(3), logoURI: `data:image/png;base64,${'A'.repeat(9000)}` }),
      { ...bare, address: at(4), logoUri: 'x', isFoT: true },
      { ...bare, address: at(5), logoURI: '' },
      token(),
    ]
    const { files, warnings } = await load(gateway, { tokens })
    expect(files['tokens.jsonl']).toEqual({ lines: 11, written: 5 })
    expect(warnings.slice(0, 2)).toEqual([
      '5 lines of tokens.jsonl are left out (line 2: has the same key as line 1 (chainId, address), but other values; line 4: name must be a text of 1 to 500 characters, without NUL and broken Unicode, not ""; line 5: chainId must be an integer from 0 to 2^53-1, not "solana:mainnet"; and 2 more).',
      '3 lines of tokens.jsonl are changed (line 3: name has 1500 characters; line 8: logoURI must be a text of at most 8192 characters, without NUL and broken Unicode; line 9: logoUri is ignored, it is spelt logoURI).',
    ])
    const stored = await rows()
    expect(
      stored.map(({ address, name, logo_uri }) => [
        address,
        name.slice(0, 5),
        name.length,
        logo_uri,
      ]),
    ).toEqual([
      [at(1), 'nnnnn', 499, SVG],
      [at(3), 'Sonic', 11, null],
      [at(4), 'Sonic', 11, null],
      [at(5), 'Sonic', 11, ''],
      [S, 'Sonic', 11, SVG],
    ])
    expect((await load(gateway, { tokens })).files['tokens.jsonl']?.written).toBe(0)
  })

  test.skipIf(!isInstalled('jq'))(
    'the commands of the guide turn a token list into records',
    async () => {
      const guide = await readFile(join(import.meta.dirname, '../../src/docs/operator.md'), 'utf8')
      const [standard = '', picked = ''] = [
        ...guide.matchAll(/jq -c '([^']+)' tokenlist\.json/g),
      ].map(([, text]) => text)
      const usdc = {
        chainId: 1,
        address: USDC,
        name: 'USD Coin (listed)',
        symbol: 'USDC',
        decimals: 6,
      }
      const of = (filter: string, more: object) => {
        const tokens = [
          { ...token(), symbol: 'S', decimals: 18, tags: [], extensions: {}, ...more },
          usdc,
        ]
        const input = JSON.stringify({
          name: 'A list',
          version: { major: 1, minor: 0, patch: 0 },
          tokens,
        })
        return execFileSync('jq', ['-c', filter], { input, encoding: 'utf8' }).trim().split('\n')
      }
      const { files } = await load(gateway, { tokens: of(standard, {}) })
      expect(files['tokens.jsonl']).toEqual({ lines: 2, written: 2 })
      expect(
        (await load(gateway, { tokens: of(picked, { isFoT: true }) })).files['tokens.jsonl']
          ?.written,
      ).toBe(0)
      expect(
        (await load(gateway, { tokens: of(standard, { isFoT: true }) })).files['tokens.jsonl']
          ?.written,
      ).toBe(0)
    },
  )

  test.each([
    [
      token({ address: 'So11111111111111111111111111111111111111112' }),
      'address: must be an address',
    ],
    [token({ name: '' }), 'name: must be a text of 1 to 500 characters'],
    [token({ chainId: '1' }), 'chainId: must be an integer'],
    [{ chainId: 1, address: S }, 'name: is missing'],
  ])('a file without a token %#', async (wrong, message) => {
    expect(await problem(gateway, [wrong])).toContain(message)
  })

  test('addresses have no case, and equal records of one token are one', async () => {
    const upper = `0x${S.slice(2).toUpperCase()}`
    await load(gateway, { tokens: [token(), token({ address: upper })] })
    expect(await rows()).toHaveLength(1)
    await load(gateway, { tokens: [token(), token({ address: upper, name: 'Other' })] })
    expect(await rows()).toMatchObject([{ name: 'Sonic token' }])
  })

  test('a later record replaces the name and the logo, and one without a logo removes it', async () => {
    await load(gateway, { tokens: [token()] })
    const { logoURI: _, ...without } = token({ name: 'New' })
    await load(gateway, { tokens: [without] })
    expect(await rows()).toEqual([
      { chain_id: '1', address: S, name: 'New', logo_uri: null, moves_with: null },
    ])
    // An empty file changes nothing.
    await load(gateway, { tokens: [] })
    expect(await rows()).toHaveLength(1)
  })

  test('a stored token becomes an asset when a vault has it', async () => {
    await load(gateway, { tokens: [token({ address: LONE })] })
    const query = `{ asset(chainId: 1, address: "${LONE}") { name logoUri } }`
    expect((await gateway.ask(query)).asset).toBeNull()
    await load(gateway, { vaults: [loneVault] })
    expect((await gateway.ask(query)).asset).toEqual({ name: 'Sonic token', logoUri: SVG })
  })

  test('the import says which logos are not shown', async () => {
    const link = (n: number, host: string) =>
      token({ address: `0x${String(n).padStart(40, '0')}`, logoURI: `https://${host}/${n}.png` })
    const tokens = [
      link(1, 'b.example'),
      link(2, 'a.example'),
      link(3, 'B.example'),
      token({ logoURI: 'ipfs://Qm' }),
    ]
    const { warnings } = await load(gateway, { tokens })
    expect(warnings).toEqual([
      '3 logos are not shown: LOGO_HOSTS has no b.example, a.example.',
      'One logo is not shown: each must be an image as data (PNG, WebP or SVG) or an https link.',
    ])
    expect((await load(gateway, { pools: [record.pools] })).warnings).toEqual([])
    const many = Array.from({ length: 7 }, (_, n) => link(n + 10, `h${n}.example`))
    expect((await load(gateway, { tokens: many })).warnings[0]).toContain('h2.example and others.')
  })

  test('an export has the file, with which an empty store answers alike', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'gateway-tokens-'))
    const copy = await startGateway()
    try {
      await load(gateway, {
        tokens: [
          token({ logoURI: 'https://other.example/s.png' }),
          token({ address: USDC, logoURI: null }),
        ],
      })
      await exportStore(gateway.deps.store.pool, join(dir, 'out'))
      const lines = (await readFile(join(dir, 'out/tokens.jsonl'), 'utf8')).trim().split('\n')
      expect(lines.map((line) => JSON.parse(line))).toEqual(
        [
          token({ logoURI: 'https://other.example/s.png', movesWith: null }),
          token({ address: USDC, logoURI: null, movesWith: null }),
        ].toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      )
      await importDataset(
        { ...copy.deps, pool: copy.deps.store.pool, log: silent },
        await openDirectory(join(dir, 'out')),
      )
      expect(
        (await copy.deps.store.pool.query('SELECT * FROM token ORDER BY address')).rows,
      ).toEqual(await rows())
    } finally {
      await copy.close()
      await rm(dir, { recursive: true })
    }
  })

  test.each(['https://assets.example.org', 'a b', 'example.org/', "x'y", '*'])(
    'LOGO_HOSTS is not %s',
    async (value) => {
      await expect(startGateway({ env: { LOGO_HOSTS: value } })).rejects.toThrow(
        'LOGO_HOSTS must be hosts, separated by commas, such as assets.example.org',
      )
    },
  )

  test('the policy of the dashboard allows images of these hosts alone', async () => {
    const policy = async (of: Gateway) =>
      (await of.get('/dashboard')).headers.get('content-security-policy')
    expect(await policy(gateway)).toContain("img-src 'self' data:; ")
    const open = await startGateway({
      env: { LOGO_HOSTS: 'assets.example.org,cdn.example.org:8443' },
    })
    try {
      expect(await policy(open)).toContain(
        "img-src 'self' data: https://assets.example.org https://cdn.example.org:8443; ",
      )
      expect((await open.get('/docs')).headers.get('content-security-policy')).toContain(
        "img-src 'self' data:; ",
      )
    } finally {
      await open.close()
    }
  })
})
