import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { printedSchema } from '../../src/graphql/schema/schema.ts'
import { sampleUser } from '../../src/sample/index.ts'
import { isInstalled } from '../fire/redis-server.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

const HAS_RELAY = isInstalled('relay-compiler')

const config = {
  src: './src',
  schema: './schema.graphql',
  language: 'typescript',
  artifactDirectory: './artifacts',
  eagerEsModules: true,
  persistConfig: { file: './queries.json', algorithm: 'SHA256' },
  customScalarTypes: {
    Address: 'string',
    BigInt: 'string',
    Date: 'string',
    DateTime: 'string',
    SafeInt: 'number',
  },
}

/**
 * A page of a user's positions that is loaded on, a list that grows, and an object refetched by its
 * id.
 */
const page = `
graphql\`
  query pageQuery($address: Address!) {
    user(address: $address) { id ...page_positions ...page_summary }
    leaderboard(first: 3) @connection(key: "page_leaderboard") { edges { node { rank user { address } } } }
    ...page_pools
  }
\`
graphql\`
  fragment page_positions on User
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" })
  @refetchable(queryName: "pagePositionsQuery") {
    positions(first: $count, after: $cursor) @connection(key: "page_positions") {
      totalCount
      edges { node { id date points pool { displayName } } }
    }
  }
\`
graphql\`
  fragment page_summary on User @refetchable(queryName: "pageSummaryQuery") {
    totalPoints rank earnings { earningsUsd }
    latestSnapshots { time borrowed { usd } entity { name ... on Market { borrowApr } } }
  }
\`
graphql\`
  fragment page_pools on Query
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" })
  @refetchable(queryName: "pagePoolsQuery") {
    pools(first: $count, after: $cursor) @connection(key: "page_pools") { edges { node { id displayName } } }
  }
\`
graphql\`
  subscription pageSubscription { distributionComputed { date distribution { id points } } }
\`
graphql\`
  mutation pageMutation($multipliers: [MultiplierInput!]!) { updateMultipliers(input: { multipliers: $multipliers }) { multipliers { id depositA } problems { code } } }
\`
`

describe.skipIf(!HAS_RELAY)(`Relay${HAS_RELAY ? '' : ' (skipped: no relay-compiler)'}`, () => {
  let gateway: Gateway
  let project: string
  beforeAll(async () => {
    gateway = await startOnSample()
    project = await mkdtemp(join(tmpdir(), 'gateway-relay-'))
    await mkdir(join(project, 'src'))
    await mkdir(join(project, 'artifacts'))
    await writeFile(join(project, 'relay.config.json'), JSON.stringify(config))
    await writeFile(join(project, 'schema.graphql'), printedSchema())
  })
  afterAll(async () => {
    await gateway?.close()
    await rm(project, { recursive: true, force: true })
  })

  /** Relay's compiler on a module. @returns the operations that it makes of it, by name */
  async function compile(source: string): Promise<Map<string, string>> {
    await writeFile(join(project, 'queries.json'), '{}')
    await writeFile(
      join(project, 'src/page.ts'),
      `import { graphql } from 'relay-runtime'\n${source}`,
    )
    await promisify(execFile)('relay-compiler', ['--noWatchman', 'relay.config.json'], {
      cwd: project,
    })
    const texts: string[] = Object.values(
      JSON.parse(await readFile(join(project, 'queries.json'), 'utf8')),
    )
    return new Map(texts.map((text) => [/^\w+ (\w+)/.exec(text)?.[1] ?? '', text]))
  }

  test('the compiler takes the schema with its connections and nodes, and the gateway answers what it makes', async () => {
    const operations = await compile(page)
    expect([...operations.keys()].sort()).toEqual([
      'pageMutation',
      'pagePoolsQuery',
      'pagePositionsQuery',
      'pageQuery',
      'pageSubscription',
      'pageSummaryQuery',
    ])
    const answerTo = async (name: string, variables: object) => {
      const data = await gateway.ask(operations.get(name) as string, variables)
      return data
    }
    const first = await answerTo('pageQuery', { address: sampleUser })
    const { id, positions } = first.user
    expect(positions.edges).toHaveLength(2)
    const more = await answerTo('pagePositionsQuery', {
      id,
      count: 2,
      cursor: positions.pageInfo.endCursor,
    })
    expect(more.node.positions.edges).toHaveLength(2)
    expect(more.node.positions.edges).not.toEqual(positions.edges)
    expect((await answerTo('pageSummaryQuery', { id })).node.totalPoints).toBe(
      first.user.totalPoints,
    )
    const pools = await answerTo('pagePoolsQuery', {
      count: 3,
      cursor: first.pools.pageInfo.endCursor,
    })
    expect(pools.pools.edges).toHaveLength(3)
    expect(await readFile(join(project, 'artifacts/page_positions.graphql.ts'), 'utf8')).toContain(
      'readonly date: string;',
    )
  })

  test('what the schema does not have is refused', async () => {
    await expect(compile('graphql`query pageQuery { nothing }`')).rejects.toThrow(/nothing/)
  })
})
