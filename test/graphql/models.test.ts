import { type GraphQLObjectType, getNamedType, isLeafType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openGraph } from '../../src/graphql/execution/graph.ts'
import { createBuilder } from '../../src/graphql/schema/builder.ts'
import { addTypes, createSchema } from '../../src/graphql/schema/schema.ts'
import { createGraphQLServer } from '../../src/http/graphql/yoga.ts'
import { sampleUser } from '../../src/sample/sample.ts'
import { nobody } from '../rest/fixture.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let first: (() => void) | undefined

/** Resolves when two wait for it, for both in one turn of the event loop. */
function twoHere(): Promise<void> {
  const other = first
  first = undefined
  if (other) {
    other()
    return Promise.resolve()
  }
  return new Promise((resolve) => {
    first = resolve
  })
}

/** The graph with fields that are made as Pothos' guides make them, in the gateway's own executor. */
function schemaWithModels() {
  const builder = createBuilder()
  addTypes(builder)
  builder.prismaObjectFields('Position', (t) => ({
    owner: t.relation('user', { nullable: true }),
    day: t.relation('distribution', { nullable: true }),
  }))
  builder.prismaObjectFields('Pool', (t) => ({ sides: t.relation('markets', { query: { orderBy: { id: 'asc' } } }) }))
  builder.prismaObjectFields('User', (t) => ({
    first: t.relation('positions', { query: { take: 1 } }),
    positionRows: t.relationCount('positions'),
  }))
  builder.queryFields((t) => ({
    userRows: t.prismaField({
      type: ['User'],
      resolve: (query, _, __, { reader }) => reader.models.user.findMany({ ...query, orderBy: { address: 'asc' } }),
    }),
    positionRows: t.prismaField({
      type: ['Position'],
      resolve: (query, _, __, { reader }) =>
        reader.models.position.findMany({
          ...query,
          take: 100,
          orderBy: [{ distributionDate: 'desc' }, { id: 'asc' }],
        }),
    }),
    poolRows: t.prismaField({
      type: ['Pool'],
      resolve: (query, _, __, { reader }) => reader.models.pool.findMany(query),
    }),
    multiplierRows: t.prismaField({
      type: ['Multiplier'],
      resolve: (query, _, __, { reader }) => reader.models.multiplier.findMany(query),
    }),
    marketRows: t.prismaField({
      type: ['Market'],
      resolve: (query, _, __, { reader }) => reader.models.market.findMany(query),
    }),
    vaultRows: t.prismaField({
      type: ['Vault'],
      resolve: (query, _, __, { reader }) => reader.models.vault.findMany(query),
    }),
    distributionRows: t.prismaField({
      type: ['Distribution'],
      resolve: (query, _, __, { reader }) => reader.models.distribution.findMany(query),
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
    nameWithOthers: t.string({
      args: { address: t.arg.string({ required: true }) },
      resolve: async (_, { address: id }, { reader }) => {
        await twoHere()
        return (await reader.models.pool.findUniqueOrThrow({ where: { id } })).name
      },
    }),
    userOfPosition: t.string({
      args: { id: t.arg.string({ required: true }) },
      resolve: async (_, { id }, { reader }) => {
        const call = reader.models.position.findUniqueOrThrow({ where: { id } })
        return (await call.user())?.address ?? ''
      },
    }),
    broken: t.int({
      nullable: true,
      resolve: async (_, __, { reader }) => (await reader.models.$queryRawUnsafe<number[]>('SELECT 1 / 0')).length,
    }),
  }))
  return builder.toSchema()
}

const schema = schemaWithModels()
let gateway: Gateway
let server: ReturnType<typeof createGraphQLServer>
beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 4 })
  server = createGraphQLServer(openGraph(schema, gateway.deps))
})
afterAll(() => gateway?.close())

async function ask(query: string) {
  const response = await server.fetch(
    'http://gateway/graphql',
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) },
    { requestId: '', admin: 'no', client: '', signal: new AbortController().signal },
  )
  return response.json() as Promise<any>
}

/** The data of a query, and the statements that it takes once it is known to need a transaction. */
async function prepared(query: string): Promise<{ data: any; statements: string[] }> {
  await ask(query)
  gateway.statements.length = 0
  const { data, errors } = await ask(query)
  expect(errors).toBeUndefined()
  return { data, statements: [...gateway.statements] }
}

/** The graph's own fields of a type that have values or token amounts and take no arguments. */
const leaves = (type: string): string[] =>
  Object.values((createSchema().getType(type) as GraphQLObjectType).getFields())
    .filter((field) => field.args.length === 0)
    .flatMap(({ name, type }) => {
      const named = getNamedType(type)
      if (isLeafType(named)) return [name]
      return named.name === 'TokenAmount' ? [`${name} { raw decimals value usd }`] : []
    })

const list = (selection: string) => (rows: string) => `{ ${selection}(first: 1000) { nodes { ${rows} } } }`
const nodesIn = (value: any): any[] => value.nodes ?? nodesIn(Object.values(value)[0])
const sorted = (rows: any[]) => rows.map((row) => JSON.stringify(row)).toSorted()

/** The extra statements are those of what the store's row of the model lacks: points, ranks, points per day, decimals, totals, and a display name. */
for (const [type, field, same, statements] of [
  ['User', 'userRows', list('users'), 3],
  ['Position', 'positionRows', (rows: string) => `{ positions(first: 100) { nodes { ${rows} } } }`, 3],
  ['Pool', 'poolRows', list('pools'), 2],
  ['Multiplier', 'multiplierRows', list('multipliers'), 1],
  ['Market', 'marketRows', list('markets'), 2],
  ['Vault', 'vaultRows', list('vaults'), 2],
  ['Distribution', 'distributionRows', list('distributions'), 1],
] as const)
  test(`a ${type} of its Prisma model has the same values, in ${statements} statements`, async () => {
    const rows = leaves(type).join(' ')
    const plain = await gateway.graphql(same(rows))
    expect(plain.errors).toBeUndefined()
    const related = await prepared(`{ ${field} { ${rows} } }`)
    expect(related.data[field].length).toBeGreaterThan(0)
    expect(sorted(related.data[field])).toEqual(sorted(nodesIn(plain.data)))
    expect(related.statements, related.statements.join('\n')).toHaveLength(statements)
  })

test('a relation takes one statement more, or two, whoever loaded the row and however many there are', async () => {
  const loaded = async (first: number) =>
    prepared(`{ positions(first: ${first}) { nodes { id owner { address } day { date totalPoints: points } } } }`)
  const [few, many] = [await loaded(2), await loaded(60)]
  expect(many.data.positions.nodes).toHaveLength(60)
  for (const { owner, day } of many.data.positions.nodes) {
    expect(owner.address).toMatch(/^0x/)
    expect(day.totalPoints).toBeGreaterThan(0)
  }
  // The positions, again as rows of Prisma's, and their users and distributions.
  expect(few.statements, few.statements.join('\n')).toHaveLength(4)
  expect(many.statements, many.statements.join('\n')).toHaveLength(4)

  const planned = await prepared('{ poolRows { name sides { asset { symbol } pool { name } } } }')
  expect(planned.statements, planned.statements.join('\n')).toHaveLength(3)
  for (const { name, sides } of planned.data.poolRows) {
    expect(sides).toHaveLength(2)
    for (const side of sides) expect(side.pool.name).toBe(name)
  }
})

test('relations lead through types that SQL and Prisma load in turn', async () => {
  const { data } = await prepared(
    `{ user(address: "${sampleUser}") { points: totalPoints first { date pool { sides { address } } user { rank } } } }`,
  )
  const [position] = data.user.first
  expect(position.pool.sides).toHaveLength(2)
  expect(position.user.rank).toBeGreaterThan(0)
})

test('relations of an address that is not stored are empty', async () => {
  const { data } = await prepared(
    `{ lookupUsers(addresses: ["${sampleUser}", "${nobody}"]) { positionRows first { date } } }`,
  )
  const [some, none] = data.lookupUsers
  expect(some.first).toHaveLength(1)
  expect(some.positionRows).toBeGreaterThan(1)
  expect(none).toEqual({ positionRows: 0, first: [] })
})

test('operations at the same time share no statement', async () => {
  const { data } = await gateway.graphql('{ pools(first: 2) { nodes { address name } } }')
  const ask2 = () =>
    Promise.all(data.pools.nodes.map(({ address }: any) => ask(`{ nameWithOthers(address: "${address}") }`)))
  await ask2()
  gateway.statements.length = 0
  const answers = await ask2()
  expect(answers.map((answer) => answer.data.nameWithOthers)).toEqual(data.pools.nodes.map(({ name }: any) => name))
  expect(gateway.statements, gateway.statements.join('\n')).toHaveLength(2)
})

test("Prisma's fluent API works too", async () => {
  const { data } = await gateway.graphql('{ positions(first: 1) { nodes { legacy { recordId } userAddress } } }')
  const [{ legacy, userAddress }] = data.positions.nodes
  expect((await prepared(`{ userOfPosition(id: "${legacy.recordId}") }`)).data).toEqual({ userOfPosition: userAddress })
})

test('what Prisma reads belongs to the same snapshot as the rest', async () => {
  const { data } = await ask('{ vaultsBeforeAndAfter }')
  const [before, ...after] = data.vaultsBeforeAndAfter
  expect(before).toBeGreaterThan(0)
  expect(after).toEqual([before, before])
  const { rows } = await gateway.deps.store.pool.query('SELECT count(*)::int AS count FROM vault')
  expect(rows[0].count).toBeGreaterThan(before)
})

test('a statement of Prisma that fails is a fault of ours, and hurts no other operation', async () => {
  const { errors } = await ask('{ broken }')
  expect(errors[0].extensions.code).toBe('INTERNAL')
  expect((await ask('{ poolRows { name } }')).errors).toBeUndefined()
})
