import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefinitionNode, type DocumentNode, parse, print, validate } from 'graphql'
import * as client from 'lending-graph-gateway/client'
import { afterEach, expect, test } from 'vitest'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { type Consumer, compileConsumer } from '../support/consumer.ts'

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
      MarketSnapshotsDocument,
      type MarketSnapshotRowFragment,
      type PoolCardFragment,
      type Scalars,
    } from 'lending-graph-gateway/client'

    export const leaderboard: TypedDocumentNode<unknown, { first?: number | null | undefined }> = LeaderboardDocument
    export const title = (pool: PoolCardFragment) => pool.displayName + (pool.multiplier?.depositA ?? 0)
    export const amount = (row: MarketSnapshotRowFragment): bigint => BigInt(row.debtAssets)
    export const time: Scalars['BigInt']['input'] = 1_700_000_000
    const client = new GraphQLClient('http://127.0.0.1')
    export async function ask(address: Scalars['Address']['input']) {
      const { user } = await client.request(MarketSnapshotsDocument, { address, from: time, first: 10 })
      const debt: number | null | undefined = user.marketSnapshots.nodes[0]?.debtUsd
      return debt
    }
  `)
  expect(faults).toEqual([])
  expect((await load('main.js')).leaderboard.kind).toBe('Document')
})

test('a wrong variable and a field that was not asked for do not compile', async () => {
  const { faults } = await compile(`
    import { Client } from '@urql/core'
    import { PoolDocument } from 'lending-graph-gateway/client'
    const client = new Client({ url: 'http://127.0.0.1', exchanges: [] })
    client.query(PoolDocument, { address: 1 })
    client.query(PoolDocument, { adress: '0x' })
    export const pool = (await client.query(PoolDocument, { address: '0x' })).data?.pool?.nothing
  `)
  expect(faults.map((fault) => Number(/main\.ts:(\d+)/.exec(fault)?.[1]))).toEqual([5, 6, 7])
})

test('its documents are those of src/client, and valid in the schema (npm run generate writes them)', () => {
  const directory = join(import.meta.dirname, '../../src/client')
  const sources = readdirSync(directory)
    .filter((name) => name.endsWith('.graphql'))
    .map((name) => parse(readFileSync(join(directory, name), 'utf8'), { noLocation: true }))
  const written = sources.flatMap((document) => document.definitions)
  const generated = Object.values<DocumentNode>(client)
  const texts = (definitions: readonly DefinitionNode[]) => [...new Set(definitions.map(print))].sort()
  expect(texts(generated.flatMap((document) => document.definitions))).toEqual(texts(written))
  const schema = createSchema()
  for (const document of generated) {
    const isOperation = document.definitions.some((one) => one.kind === 'OperationDefinition')
    if (isOperation) expect(validate(schema, document)).toEqual([])
  }
})
