import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type DefinitionNode, type DocumentNode, parse, print, validate } from 'graphql'
import * as client from 'lending-graph-client'
import { afterEach, expect, test } from 'vitest'
import { createSchema, printedSchema } from '../../src/graphql/schema/schema.ts'
import { type Consumer, compileConsumer } from '../support/consumer.ts'
import { installPackage } from '../support/installed.ts'

const ROOT = join(import.meta.dirname, '../..')

let consumer: Consumer | undefined
afterEach(() => consumer?.remove())

const compile = async (source: string) => {
  consumer = await compileConsumer({ 'main.ts': source }, [
    '@graphql-typed-document-node/core',
    '@urql/core',
    'graphql',
    'graphql-request',
  ])
  return consumer
}

test('the package is used by its name, and its types are strict on both sides', async () => {
  const { faults, load } = await compile(`
    import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
    import { GraphQLClient } from 'graphql-request'
    import {
      LeaderboardDocument,
      SnapshotsDocument,
      type SnapshotRowFragment,
      type PoolCardFragment,
      type Scalars,
    } from 'lending-graph-client'

    export const leaderboard: TypedDocumentNode<unknown, { first?: number | null | undefined }> = LeaderboardDocument
    export const title = (pool: PoolCardFragment) => pool.displayName + (pool.multiplier?.depositA ?? 0)
    export const amount = (row: SnapshotRowFragment): bigint => BigInt(row.borrowed?.raw ?? 0)
    export const time: Scalars['DateTime']['input'] = '2025-03-01'
    const client = new GraphQLClient('http://127.0.0.1')
    export async function debtOf(address: Scalars['Address']['input']) {
      const { user } = await client.request(SnapshotsDocument, { address, where: { time: { gte: time } }, first: 10 })
      const debt: number | null | undefined = user.snapshots.nodes[0]?.borrowed?.usd
      return debt
    }
  `)
  expect(faults).toEqual([])
  expect((await load('main.js')).leaderboard.kind).toBe('Document')
})

test('a wrong variable and a field that was not selected do not compile', async () => {
  const { faults } = await compile(`
    import { Client } from '@urql/core'
    import { PoolDocument } from 'lending-graph-client'
    const client = new Client({ url: 'http://127.0.0.1', exchanges: [] })
    client.query(PoolDocument, { address: 1 })
    client.query(PoolDocument, { adress: '0x' })
    export const pool = (await client.query(PoolDocument, { address: '0x' })).data?.pool?.nothing
  `)
  expect(faults.map((fault) => Number(/^main\.ts\((\d+)/.exec(fault)?.[1]))).toEqual([5, 6, 7])
})

test('an empty folder that installs it has its types, the schema, and not 5 MB', async () => {
  const installed = await installPackage('lending-graph-client')
  try {
    const { directory, path } = installed
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    expect(Object.keys(manifest.dependencies)).toEqual(['@graphql-typed-document-node/core'])
    const files = (folder: string) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    const size = files(directory).reduce((sum, file) => sum + statSync(file).size, 0)
    expect(size).toBeLessThan(5_000_000)
    const names = files(path).map((file) => relative(path, file))
    expect(
      names
        .filter((file) => !/^dist\/(client|generated\/client)\/[\w-]+(\.d\.ts|\.js)$/.test(file))
        .sort(),
    ).toEqual(['README.md', 'dist/LICENSE', 'dist/schema.graphql', 'package.json'])
    const program = `
      import { LeaderboardDocument } from 'lending-graph-client'
      console.log(LeaderboardDocument.definitions[0].name.value)`
    const run = (code: string) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', code], {
        cwd: directory,
      }).toString()
    expect(run(program)).toBe('Leaderboard\n')
    expect(
      run(`console.log(import.meta.resolve('lending-graph-client/schema.graphql'))`),
    ).toContain('/dist/schema.graphql')
    expect(readFileSync(join(path, 'dist/schema.graphql'), 'utf8')).toBe(`${printedSchema()}\n`)
  } finally {
    await installed.remove()
  }
}, 120_000)

test('its documents are those of src/client, and valid in the schema (npm run generate writes them)', () => {
  const directory = join(ROOT, 'src/client')
  const sources = readdirSync(directory)
    .filter((name) => name.endsWith('.graphql'))
    .map((name) => parse(readFileSync(join(directory, name), 'utf8'), { noLocation: true }))
  const written = sources.flatMap((document) => document.definitions)
  const generated = Object.entries(client).flatMap(([name, value]) =>
    /(Document|FragmentDoc)$/.test(name) ? [value as DocumentNode] : [],
  )
  const texts = (definitions: readonly DefinitionNode[]) =>
    [...new Set(definitions.map(print))].sort()
  expect(texts(generated.flatMap((document) => document.definitions))).toEqual(texts(written))
  const schema = createSchema()
  for (const document of generated) {
    const isOperation = document.definitions.some((one) => one.kind === 'OperationDefinition')
    if (isOperation) expect(validate(schema, document)).toEqual([])
  }
})
