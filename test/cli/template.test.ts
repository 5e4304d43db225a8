import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { records, sampleRecords } from '../../src/domain/dataset/records.ts'
import { datasetFiles } from '../../src/sources/index.ts'
import { command, parsed } from '../support/command-line.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'

let dir: string
let gateway: Gateway
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-template-'))
  gateway = await startGateway()
})
afterAll(async () => {
  await gateway.close()
  await rm(dir, { recursive: true, force: true })
})

const run = (args: string[]) =>
  command(args, { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' })

const FILES = [
  'cash-flows',
  'liquidations',
  'market-liquidation-rewards',
  'market-snapshots',
  'markets',
  'multipliers',
  'pools',
  'positions',
  'prices',
  'tokens',
  'vault-liquidation-rewards',
  'vault-snapshots',
  'vaults',
].map((file) => `${file}.jsonl`)

test('a template is imported as it is, and gives points, earnings and rates', async () => {
  const out = join(dir, 'new')
  const { code, out: said, err } = await command(['template', out], {})
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(said).toContain('markets.jsonl: 2 records\n')
  expect(said).toMatch(
    /Put your own records into the files, then try `gateway import \S+ --check`\.\n$/,
  )
  expect((await readdir(out)).sort()).toEqual(FILES)

  for (const args of [['--check'], []])
    expect(await run(['import', out, ...args])).toMatchObject({ code: 0, err: '' })
  const [ann, ben] = sampleRecords('positions').map(({ userAddress }) => String(userAddress))
  const getJson = async (path: string) => (await gateway.get(path)).json()
  // 1.5 WETH at $2,000 and half of $500 borrowed; half a WETH that is protected, and half of $400.
  expect(await getJson(`/points/userpoints?account=${ann}`)).toMatchObject({
    userPoints: 3250,
    totalPoints: 4450,
  })
  expect(await getJson(`/points/userpoints?account=${ben}`)).toMatchObject({ userPoints: 1200 })
  expect(await getJson(`/v1/users/${ann}/earnings`)).toMatchObject({
    data: {
      total_earnings_usd: 200,
      total_current_value_usd: 3500,
      total_net_cash_invested_usd: 3300,
    },
  })
  expect(await getJson(`/v1/users/${ann}/net-apr`)).toMatchObject({
    data: { earn_net_apr: 0.02, borrow_net_apr: 0.07 },
  })
  const { data } = await gateway.graphql(`{ user(address: "${ann}") {
    activity { totalCount } currentPositions { nodes { healthFactor } } snapshots(where: { entityTypes: VAULT }) { totalCount } } }`)
  expect(data.user).toEqual({
    activity: { totalCount: 5 },
    currentPositions: { nodes: [{ healthFactor: 4.8 }] },
    snapshots: { totalCount: 1 },
  })
  const again = await run(['import', out, '--json'])
  expect(
    Object.values(parsed(again.out)[0].files).map((file) => (file as { written: number }).written),
  ).toEqual(FILES.map(() => 0))
})

test('the examples of all files, those of exports too, are valid, and have every field that is required', async () => {
  const other = await startGateway()
  try {
    const files = Object.fromEntries(datasetFiles.map((file) => [file, sampleRecords(file)]))
    const { warnings } = await importFiles(other, files)
    expect(warnings).toEqual([])
    for (const file of datasetFiles)
      for (const name of Object.keys(sampleRecords(file)[0] ?? {}))
        expect(records[file].fields).toHaveProperty(name)
  } finally {
    await other.close()
  }
})

test('a directory that is not empty, or cannot be made, stays as it is', async () => {
  const full = join(dir, 'full')
  await mkdir(full)
  await writeFile(join(full, 'pools.jsonl'), 'mine')
  for (const [path, sentence] of [
    [full, `${full} is not empty, it has pools.jsonl: name a new or an empty directory.`],
    [join(full, 'pools.jsonl'), `${join(full, 'pools.jsonl')} is not a directory.`],
    [
      join(dir, 'no', 'such'),
      `${join(dir, 'no', 'such')} cannot be created, as the directory above it does not exist.`,
    ],
  ] as const) {
    expect(await command(['template', path], {})).toEqual({
      code: 2,
      out: '',
      err: `${sentence}\n`,
    })
    const { code, err } = await command(['template', path, '--json'], {})
    expect({ code, failure: parsed(err) }).toMatchObject({
      code: 2,
      failure: [{ code: 'BAD_INPUT', message: sentence }],
    })
  }
  expect(await readFile(join(full, 'pools.jsonl'), 'utf8')).toBe('mine')
  const empty = await mkdtemp(join(dir, 'empty-'))
  const [json] = parsed((await command(['template', empty, '--json'], {})).out)
  expect(json).toMatchObject({
    dir: empty,
    files: { 'pools.jsonl': { lines: 1 }, 'cash-flows.jsonl': { lines: 3 } },
  })
  expect((await command(['template'], {})).err).toContain("missing required argument 'dir'")
})
