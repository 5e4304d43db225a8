import { type GraphQLObjectType, getNamedType, isLeafType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plainReader, type Reader, readFor, readSnapshot } from '../../src/db/connect/reader.ts'
import { openStore, type Store, type StoreOptions } from '../../src/db/connect/store.ts'
import { storeFault } from '../../src/db/faults.ts'
import { Graph } from '../../src/graphql/execution/graph.ts'
import { createBuilder } from '../../src/graphql/schema/builder.ts'
import { addTypes, createSchema } from '../../src/graphql/schema/schema.ts'
import { createGraphQLServer } from '../../src/http/graphql/yoga.ts'
import { asAdmin, type Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 4 })
  await gateway.deps.store.pool.query(`INSERT INTO season (name, starts_at, ends_at, status, changed_by)
    VALUES ('One', '2020-01-01', '2020-02-01', 'ended', 'test'), ('Two', '2020-03-01', NULL, 'active', 'test')`)
})
afterAll(() => gateway?.close())

/** True if a statement is Prisma's, which names the schema of each table. */
const isOfPrisma = (statement: string) => statement.includes('"public".')

/** Runs work, and returns its result with the statements that it sent. */
async function counted<T>(work: () => Promise<T>): Promise<{ result: T; statements: string[] }> {
  gateway.statements.length = 0
  const result = await work()
  return { result, statements: [...gateway.statements] }
}

/** The fields of a type that have a value and take no arguments. */
const leaves = (type: string): string[] =>
  Object.values((createSchema().getType(type) as GraphQLObjectType).getFields())
    .filter((field) => field.args.length === 0 && isLeafType(getNamedType(field.type)))
    .map(({ name }) => name)

for (const [type, list] of [
  ['Distribution', (rows: string) => `distributions { nodes { ${rows} } }`],
  ['Run', (rows: string) => `runs { nodes { ${rows} } }`],
  ['Multiplier', (rows: string) => `multipliers { nodes { ${rows} } }`],
  ['MultiplierRevision', (rows: string) => `multiplierRevisions { nodes { ${rows} } }`],
  ['Season', (rows: string) => `program { seasons { ${rows} } }`],
] as const)
  test(`a ${type} that Prisma reads has the values of SQL, and any number of them is one read`, async () => {
    const row = leaves(type).join(' ')
    const { nodes, seasons: listed = nodes } = Object.values<any>(
      await gateway.ask(`{ ${list(row)} }`),
    )[0]
    expect(listed.length).toBeGreaterThan(1)
    const ids = listed.map(({ id }: { id: string }) => id).toReversed()
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on ${type} { ${row} } } }`
    const { result, statements } = await counted(() => gateway.ask(query, { ids }))
    expect(result.nodes.toReversed()).toEqual(listed)
    expect(statements.filter(isOfPrisma), statements.join('\n')).toHaveLength(1)
  })

describe('Prisma reads for', () => {
  const graphql = async (query: string, variables = {}) => {
    const { errors } = await gateway.graphql(query, variables, asAdmin)
    expect(errors).toBeUndefined()
  }
  const multiplier = async (more: object) => {
    const [{ poolAddress, depositA }] = (
      await gateway.ask('{ multipliers { nodes { poolAddress depositA } } }')
    ).multipliers.nodes
    return { multipliers: [{ poolAddress, depositA, ...more }] }
  }
  const newest = async (list: string) =>
    (await gateway.ask(`{ ${list} }`))[list.split(/\W/)[0] ?? '']
  const rest = async (path: string, body: object) => {
    const headers = { ...asAdmin, 'content-type': 'application/json' }
    const response = await fetch(`${gateway.base}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(response.status, await response.text()).toBeLessThan(300)
  }
  const update =
    'mutation ($input: UpdateMultipliersInput!) { updateMultipliers(input: $input) { multipliers { id } } }'
  const operations: Record<string, () => Promise<void>> = {
    status: () => graphql('{ status { distribution { date } legs { leg } lastRun { status } } }'),
    updateMultipliers: async () => graphql(update, { input: await multiplier({}) }),
    revokeMultiplier: async () => {
      await graphql(update, { input: await multiplier({ depositA: 1.25, from: '2090-01-01' }) })
      const { nodes } = await newest('multiplierRevisions(first: 1) { nodes { recordId } }')
      await graphql(
        `mutation { revokeMultiplier(input: { recordId: "${nodes[0].recordId}" }) { revision { id } } }`,
      )
    },
    setBasePoints: () =>
      graphql(
        'mutation { setBasePoints(input: { deposit: 2, borrow: 1, from: "2090-01-01" }) { revision { from } } }',
      ),
    revokeBasePoints: async () => {
      const [{ recordId }] = await newest('basePointsRevisions { recordId }')
      await graphql(
        `mutation { revokeBasePoints(input: { recordId: "${recordId}" }) { revision { revokedBy } } }`,
      )
    },
    resyncDistribution: () => graphql('mutation { resyncDistribution { run { status } } }'),
    'POST /points/resync': () => rest('/points/resync', {}),
    'POST /multipliers/update': async () => {
      const { multipliers } = await multiplier({})
      await rest(
        '/multipliers/update',
        multipliers.map(({ poolAddress, depositA }) => ({ poolAddress, deposit_tokenA: depositA })),
      )
    },
  }
  for (const list of ['distributions', 'runs', 'multipliers', 'multiplierRevisions'])
    operations[`the node of one of ${list}`] = async () => {
      const { nodes } = await newest(`${list}(first: 1) { nodes { id } }`)
      await graphql('query ($id: ID!) { node(id: $id) { id __typename } }', { id: nodes[0].id })
    }
  for (const [name, operation] of Object.entries(operations))
    test(name, async () => {
      const { statements } = await counted(operation)
      expect(statements.some(isOfPrisma), statements.join('\n')).toBe(true)
    })
})

/**
 * The graph with fields that are made as Pothos' guides make them, in the gateway's own executor.
 */
function serverWithModels() {
  const builder = createBuilder()
  addTypes(builder)
  builder.prismaObjectFields('Multiplier', (t) => ({
    poolRow: t.relation('pool', { nullable: true }),
  }))
  builder.queryFields((t) => ({
    multiplierRows: t.prismaField({
      type: ['Multiplier'],
      resolve: (query, _, __, { reader }) => reader.models.multiplier.findMany(query),
    }),
    vaultsBeforeAndAfter: t.intList({
      resolve: async (_, __, { reader, deps }) => {
        const before = await reader.models.vault.count()
        await deps.store.pool.query(
          'INSERT INTO vault SELECT chain_id + 1, id, name, asset_address, asset_symbol, asset_decimals, deposit_rate FROM vault',
        )
        const [row] = await reader.$queryRaw<[{ count: bigint }]>`SELECT count(*) FROM vault`
        return [before, await reader.models.vault.count(), Number(row.count)]
      },
    }),
    broken: t.int({
      nullable: true,
      resolve: async (_, __, { reader }) => {
        const [row] = await reader.$queryRaw<[{ fails: number }]>`SELECT 1 / 0 AS fails`
        return row.fails
      },
    }),
  }))
  return createGraphQLServer(new Graph(builder.toSchema(), gateway.deps))
}

describe("a field of Pothos' plugin", () => {
  let server: ReturnType<typeof serverWithModels>
  beforeAll(() => {
    server = serverWithModels()
  })
  async function answerTo(query: string) {
    const response = await server.fetch(
      'http://gateway/graphql',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      },
      { requestId: '', admin: 'no', client: '', signal: new AbortController().signal },
    )
    return response.json() as Promise<any>
  }

  test('reads its rows, and those of a relation', async () => {
    const { data, errors } = await answerTo(
      '{ multiplierRows { poolAddress depositA poolRow { address name } } }',
    )
    expect(errors).toBeUndefined()
    expect(data.multiplierRows.length).toBeGreaterThan(1)
    for (const { poolAddress, poolRow } of data.multiplierRows)
      expect(poolRow.address).toBe(poolAddress)
  })

  test('reads the snapshot of the rest of its operation', async () => {
    const { data } = await answerTo('{ vaultsBeforeAndAfter }')
    const [before, ...after] = data.vaultsBeforeAndAfter
    expect(before).toBeGreaterThan(0)
    expect(after).toEqual([before, before])
    const { rows } = await gateway.deps.store.pool.query('SELECT count(*)::int AS count FROM vault')
    expect(rows[0].count).toBeGreaterThan(before)
  })

  test('that fails is a fault of ours, and hurts no other operation', async () => {
    const { errors } = await answerTo('{ broken }')
    expect(errors).toHaveLength(1)
    expect(errors[0].extensions.code).toBe('INTERNAL')
    expect((await answerTo('{ multiplierRows { poolAddress } }')).errors).toBeUndefined()
  })
})

/** Runs work on a separate store on the same database. */
async function withStore(
  options: Partial<StoreOptions>,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const url = gateway.deps.config.DATABASE_URL as string
  const store = openStore({ url, poolSize: 20, onError() {}, ...options })
  await work(store).finally(() => store.close())
}

test('reads at the same time each run on the connection of their reader', () =>
  withStore({}, async (store) => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const readers: Promise<number[]>[] = []
    for (let year = 2010; year < 2014; year++) {
      await new Promise<void>((opened) => {
        const read = async (reader: Reader) => {
          const [{ count }] = await reader.$queryRaw<
            [{ count: bigint }]
          >`SELECT count(*) FROM season`
          opened()
          await gate
          const counts = [reader.models.season.count(), reader.models.season.count()]
          return [Number(count), ...(await Promise.all(counts))]
        }
        readers.push(readSnapshot(store, read))
      })
      await store.pool.query(
        `INSERT INTO season (name, starts_at, ends_at, status, changed_by) VALUES ($1, $2, $2, 'ended', 'test')`,
        [`${year}`, `${year}-01-01`],
      )
    }
    release()
    expect(await Promise.all(readers)).toEqual([2, 3, 4, 5].map((count) => [count, count, count]))
  }))

test('reads count among the statements and bytes of their operation', () =>
  withStore({ maxAnswerBytes: 2000 }, async (store) => {
    const many = (reader: Reader) => reader.models.position.findMany()
    await expect(readFor(store, many)).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
    await expect(readSnapshot(store, many)).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
    const often = async (reader: Reader) => {
      await Promise.all(
        Array.from({ length: 499 }, () => reader.$queryRaw`SELECT FROM season WHERE false`),
      )
      for (let i = 0; i < 2; i++) await reader.models.season.findUnique({ where: { name: 'none' } })
    }
    await expect(readFor(store, often)).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await expect(readSnapshot(store, often)).rejects.toMatchObject({ code: 'BAD_INPUT' })
    expect(await plainReader(store).models.pool.count()).toBeGreaterThan(0)
  }))

/** The code that clients get for the error of a read. */
const failure = (read: Promise<unknown>) =>
  read.then(
    () => 'none',
    (error) => storeFault(error)?.code,
  )

test('a read ends when its client has gone, or its time is up', () =>
  withStore({ readTimeoutMs: 1000 }, async (store) => {
    const read = (reader: Reader) => reader.models.season.findMany()
    await readFor(store, read)
    const client = await store.pool.connect()
    await client.query('BEGIN; LOCK TABLE season IN ACCESS EXCLUSIVE MODE')
    try {
      const caller = { aborted: false }
      const reads = [
        readFor(store, read, caller),
        readFor(store, (reader) => reader.snapshot(read), caller),
      ]
      const ended = Promise.all(reads.map(failure))
      caller.aborted = true
      expect(await ended).toEqual(['UNAVAILABLE', 'UNAVAILABLE'])
      expect(await failure(readFor(store, read))).toBe('TIMEOUT')
      expect(await failure(readSnapshot(store, read))).toBe('TIMEOUT')
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    expect(await readSnapshot(store, read)).not.toEqual([])
  }))

test('a read whose statement Postgres cancels has had its time', () =>
  withStore({}, async (store) => {
    const read = (reader: Reader) => reader.models.season.findMany()
    const client = await store.pool.connect()
    await client.query('BEGIN; LOCK TABLE season IN ACCESS EXCLUSIVE MODE')
    const cancel =
      'SELECT pg_cancel_backend(pid) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))'
    try {
      for (const start of [readFor, readSnapshot]) {
        const reading = failure(start(store, read))
        await expect.poll(async () => (await client.query(cancel)).rows.length).toBeGreaterThan(0)
        expect(await reading).toBe('TIMEOUT')
      }
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    expect(await readSnapshot(store, read)).not.toEqual([])
  }))
