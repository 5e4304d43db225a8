import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ApolloProvider } from '@apollo/client/react'
import { prerenderStatic } from '@apollo/client/react/ssr'
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import { makeExecutableSchema } from '@graphql-tools/schema'
import { Client, cacheExchange, fetchExchange } from '@urql/core'
import { build } from 'esbuild'
import { buildSchema, introspectionFromSchema, parse, print } from 'graphql'
import { LiveUserDocument } from 'lending-graph-client'
import { createElement, type FunctionComponent } from 'react'
import { renderToString } from 'react-dom/server'
import { prerenderToNodeStream } from 'react-dom/static'
import { Provider } from 'urql'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { samplePool, sampleUser } from '../../src/sample/index.ts'
import { documents, ROOT } from '../docs/markdown.ts'
import { hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { type Consumer, compileConsumer } from '../support/consumer.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { loadSample } from '../support/sample.ts'

/** The TypeScript in the documents, compiled as it is written there, and run. */

/** The suite of pothos-sql runs those of its README. */
const blocks = documents
  .filter(({ path }) => !path.startsWith('src/pothos-sql/'))
  .flatMap(({ blocks }) => blocks.filter(({ language }) => /^tsx?$/.test(language)))
const block = (contained: string) =>
  blocks.find((one) => one.text.includes(contained))?.text as string
const files = {
  'codegen.ts': block('CodegenConfig'),
  'urql.tsx': block("from 'urql'"),
  'apollo.tsx': block('createApollo'),
  'chart.tsx': block('function WalletChart'),
  'tada.ts': block('initGraphQLTada'),
}
const packages = [
  '@apollo/client',
  '@graphql-codegen/plugin-helpers',
  '@types/react',
  '@urql/core',
  'graphql',
]
packages.push('gql.tada', 'graphql-ws', 'react', 'rxjs', 'urql')

let gateway: Gateway
let url: string
let consumer: Consumer
beforeAll(async () => {
  gateway = await startGateway()
  url = `${gateway.base}/graphql`
  await loadSample(gateway, { days: 30 })
  // The command line of codegen is not installed here. Its configuration is that of its plugins.
  const cli = "export type CodegenConfig = import('@graphql-codegen/plugin-helpers').Types.Config"
  // What is wrong in the declarations of these libraries is not ours, nor that urql's and
  // graphql-ws' differ in what is optional.
  const schema = buildSchema(await readFile(join(ROOT, 'src/client/dist/schema.graphql'), 'utf8'))
  // What the command of gql.tada writes.
  const introspection = minifyIntrospection(introspectionFromSchema(schema) as never)
  const types = outputIntrospectionFile(introspection, {
    fileType: '.d.ts',
    shouldPreprocess: true,
  })
  consumer = await compileConsumer(
    {
      ...files,
      'graphql-env.d.ts': types,
      'cli.d.ts': `declare module '@graphql-codegen/cli' { ${cli} }`,
    },
    packages,
    { skipLibCheck: true, exactOptionalPropertyTypes: false },
  )
}, 120_000)
afterAll(async () => {
  await consumer?.remove()
  await gateway?.close()
})

test('all of it compiles', () => {
  expect(Object.values(files).sort()).toEqual(blocks.map((one) => one.text).sort())
  expect(consumer.faults).toEqual([])
})

test('the hooks of urql show a chart', async () => {
  const { Chart, Board } = await consumer.load('urql.js')
  const client = new Client({
    url,
    exchanges: [cacheExchange, fetchExchange],
    fetchSubscriptions: true,
    suspense: true,
  })
  const page = createElement(
    Provider,
    { value: client },
    createElement(Chart, { address: sampleUser }),
  )
  const { prelude } = await prerenderToNodeStream(page)
  const { data } = await gateway.graphql(
    `{ user(address: "${sampleUser}") { series(interval: WEEK) { points } } }`,
  )
  const items = data.user.series.map(
    (one: { points: number }) => `<li>${one.points.toLocaleString('en-US')}</li>`,
  )
  expect(items.length).toBeGreaterThan(1)
  expect(await text(prelude)).toBe(`<ol>${items.join('')}</ol>`)
  expect(Board).toBeTypeOf('function')
})

test('the hooks of Apollo Client show a user, and its link subscribes', async () => {
  // Browsers and newer Node.js have one.
  vi.stubGlobal('WebSocket', WebSocket)
  const { createApollo, Wallet } = await consumer.load('apollo.js')
  const client = createApollo(url)
  const Apollo = ApolloProvider as FunctionComponent<{ client: object }>
  const tree = createElement(Apollo, { client }, createElement(Wallet, { address: sampleUser }))
  const { result } = await prerenderStatic({
    tree,
    context: { client },
    renderFunction: renderToString,
  })
  const { data } = await gateway.graphql(`{ user(address: "${sampleUser}") { rank } }`)
  expect(result.replaceAll('<!-- -->', '')).toMatch(
    new RegExp(`^<p>#${data.user.rank}: [\\d.]+ points, [\\d.]+ USD earned</p>$`),
  )
  const rank = await new Promise((resolve, reject) => {
    const subscription = client
      .subscribe({ query: LiveUserDocument, variables: { address: sampleUser } })
      .subscribe({
        next({ data }: { data: { user: { rank: number } } }) {
          setTimeout(() => subscription.unsubscribe())
          resolve(data.user.rank)
        },
        error: reject,
      })
  })
  expect(rank).toBe(data.user.rank)
  client.stop()
  vi.unstubAllGlobals()
})

test.skipIf(!hasBrowser)(
  `the chart of a wallet follows the data${hasBrowser ? '' : SKIPPED}`,
  async () => {
    const main = `
    import { createRoot } from 'react-dom/client'
    createRoot(document.getElementById('root')).render(<WalletChart address="${sampleUser}" />)`
    const { outputFiles } = await build({
      stdin: {
        contents: files['chart.tsx'].replace(/http:.*graphql/, url) + main,
        loader: 'tsx',
        resolveDir: ROOT,
      },
      bundle: true,
      define: { 'process.env.NODE_ENV': '"production"' },
      jsx: 'automatic',
      write: false,
    })
    const caption = async () => {
      const { data } = await gateway.graphql(
        `{ user(address: "${sampleUser}") { rank points: totalPoints } }`,
      )
      return `#${data.user.rank}, ${data.user.points.toLocaleString('en-US')} points`
    }
    const before = await caption()
    const browser = await openBrowser(gateway.base)
    try {
      const page = await browser.context.newPage()
      await page.setContent('<div id="root"></div>')
      await page.addScriptTag({ content: outputFiles[0]?.text as string })
      await page.getByText(before).waitFor()
      const { data } = await gateway.graphql(
        `{ user(address: "${sampleUser}") { series(interval: DAY) { worth { netUsd } } } }`,
      )
      const points = await page.locator('polyline').getAttribute('points')
      expect(points?.split(' ')).toHaveLength(
        data.user.series.filter(({ worth }: { worth: unknown }) => worth).length,
      )
      await gateway.graphql(
        `mutation { updateMultipliers(input: { multipliers: { poolAddress: "${samplePool.address}", depositA: 7 } }) { multipliers { depositA } }
        resyncDistribution { run { recordId } } }`,
        {},
        asAdmin,
      )
      const after = await caption()
      expect(after).not.toBe(before)
      await page.getByText(after).waitFor()
    } finally {
      await browser.close()
    }
  },
)

test('codegen types documents with the scalars of the guide', async () => {
  const { default: config } = await consumer.load('codegen.js')
  const [[directory, { config: options }]] = Object.entries(config.generates) as [
    [string, { config: object }],
  ]
  const schema = parse(await readFile(join(ROOT, 'src/client/dist/schema.graphql'), 'utf8'))
  const document = parse(
    'query Pools($asset: Address!) { pools(where: { assets: [$asset] }) { nodes { marketA { depositRate: depositApr } number } } dataVersion }',
  )
  const generated = await preset.buildGeneratesSection({
    baseOutputDir: directory,
    presetConfig: {},
    schema,
    schemaAst: makeExecutableSchema({ typeDefs: schema }),
    documents: [{ location: 'pools.ts', document, rawSDL: print(document) }],
    config: options,
    plugins: [],
    pluginMap: {},
  })
  const graph: Record<string, string> = {}
  for (const one of generated) graph[one.filename] = await codegen({ ...options, ...one })
  const { faults, remove } = await compileConsumer(
    {
      ...graph,
      'main.ts': `
        import type { PoolsQuery, PoolsQueryVariables } from './graph/graphql.js'
        export const variables: PoolsQueryVariables = { asset: '0x' }
        export const version = (data: PoolsQuery): bigint => BigInt(data.dataVersion)
        export const number = (data: PoolsQuery): number | undefined => data.pools.nodes[0]?.number
        // @ts-expect-error an address is a string
        export const wrong: PoolsQueryVariables = { asset: 1 }`,
    },
    ['@graphql-typed-document-node/core', 'graphql'],
  )
  await remove()
  expect(faults).toEqual([])
})
