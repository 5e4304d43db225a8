import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLField,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import { everyRequest, someOf } from '../support/compare.ts'
import { LONG } from '../support/extent.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** Doubles at the ends of what Postgres stores, and next to them. */
const EXTREMES = [
  '5e-324',
  '-5e-324',
  '2.3e-308',
  '1e-300',
  '-1e-200',
  '1e-17',
  '0',
  '1',
  '1e17',
  '1e300',
  '-1e300',
  '1.7976931348623157e308',
  '-1.7976931348623157e308',
]

/**
 * The same of sums that a run stores: they have 6 decimals, and each of their terms is 1e300 at
 * most.
 */
const SUMS = ['1e-6', '-1e-6', '0', '1', '1e17', '1e300', '-1e300', '1e305']

const schema = buildSchema(
  readFileSync(new URL('../../src/generated/rest-schema.graphql', import.meta.url), 'utf8'),
)
const NO_LIMITS = {
  MAX_QUERY_COST: '0',
  MAX_QUERY_DEPTH: '0',
  MAX_QUERY_TOKENS: '0',
  MAX_QUERY_ALIASES: '0',
}

let planned: Gateway
let resolved: Gateway
const ids: Record<string, string> = {}
beforeAll(async () => {
  planned = await startOnSample({ users: 5, days: 3, plan: true, env: NO_LIMITS })
  resolved = await startGateway({ on: planned, plan: false, env: NO_LIMITS })
  const one = async (sql: string) =>
    (await planned.deps.store.pool.query<{ text: string }>(sql)).rows[0]?.text ?? ''
  Object.assign(ids, {
    address: sampleUser,
    user: sampleUser,
    pool: await one('SELECT id AS text FROM pool ORDER BY id LIMIT 1'),
    market: await one('SELECT id AS text FROM market ORDER BY id LIMIT 1'),
    vault: await one('SELECT id AS text FROM vault ORDER BY id LIMIT 1'),
    asset: await one('SELECT asset_1_address AS text FROM pool ORDER BY id LIMIT 1'),
    date: await one('SELECT max(date)::text AS text FROM distribution'),
    past: await one('SELECT min(date)::text AS text FROM distribution'),
  })
})
afterAll(async () => {
  await resolved.close()
  await planned.close()
})

/** Writes extremes to every double of every table, each row its own. */
async function writeExtremes(): Promise<void> {
  const { pool } = planned.deps.store
  const { rows } = await pool.query<{ table: string; columns: string[] }>(
    `SELECT c.relname AS table, array_agg(a.attname::text) AS columns FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.atttypid = 'float8'::regtype AND NOT a.attisdropped
     GROUP BY 1 ORDER BY 1`,
  )
  expect(rows.map(({ table }) => table)).toEqual(
    expect.arrayContaining([
      'market',
      'stored_position',
      'market_snapshot',
      'cash_flow',
      'pool_day',
    ]),
  )
  for (const { table, columns } of rows) {
    // An index of positions adds their amounts, and refuses two of the most negative ones.
    const amounts = EXTREMES.filter(
      (double) => table !== 'stored_position' || !double.startsWith('-1.79'),
    )
    const some = table === 'pool_day' ? SUMS : amounts
    const extreme = `(ARRAY[${some.join(', ')}]::float8[])[1 + floor(random() * ${some.length})]`
    await pool.query(
      `UPDATE ${table} SET ${columns.map((column) => `${column} = ${extreme}`).join(', ')}`,
    )
  }
}

type Field = GraphQLField<unknown, unknown>

/**
 * The arguments that a field needs, and those that make it read more. Undefined if it is not for
 * this test.
 */
function argumentsOf(field: Field, more: string[] = []): string | undefined {
  const parts = [...more]
  const date = (name: string) =>
    parts.push(`${name}: "${ids[name === 'from' || name === 'since' ? 'past' : 'date']}"`)
  for (const arg of field.args) {
    const { name, type } = arg
    if (parts.some((part) => part.startsWith(`${name}:`))) continue
    if (name === 'first') parts.push('first: 3')
    else if (!isRequiredArgument(arg)) continue
    else if (name === 'addresses') parts.push(`addresses: ["${sampleUser}"]`)
    else if (name === 'address') parts.push(`address: "${ids[field.name] ?? ids.address}"`)
    else if (name in ids) parts.push(`${name}: "${ids[name]}"`)
    else if (['from', 'to', 'since', 'asOf', 'at'].includes(name)) date(name)
    else if (name === 'interval') parts.push('interval: DAY')
    else if (name === 'chainId') parts.push('chainId: 146')
    else if (name === 'around') parts.push(`around: "${sampleUser}"`)
    else if (name === 'groupBy')
      parts.push(String(type).startsWith('[') ? 'groupBy: [POOL]' : 'groupBy: POOL')
    else if (name === 'where')
      parts.push(
        String(type) === 'PositionFilter!'
          ? `where: { date: { eq: "${ids.date}" } }`
          : `where: { users: ["${sampleUser}"] }`,
      )
    else return undefined
  }
  return parts.length > 0 ? `(${parts.join(', ')})` : ''
}

/** Every field of a type, some levels deep. */
function everyField(type: Field['type'], depth: number): string {
  const named = getNamedType(type)
  if (isInterfaceType(named))
    return `__typename ${schema
      .getPossibleTypes(named)
      .map((one) => `... on ${one.name} { ${everyField(one, depth)} }`)
      .join(' ')}`
  if (!isObjectType(named)) return ''
  const isPage = named.name.endsWith('Connection')
  const parts = Object.values(named.getFields()).flatMap((field) => {
    if (isLeafType(getNamedType(field.type)))
      return field.args.some(isRequiredArgument) ? [] : [field.name]
    if (['edges', 'pageInfo', 'limits'].includes(field.name) || depth === 0) return []
    const args = argumentsOf(field)
    // A page costs no level.
    return args === undefined
      ? []
      : [`${field.name}${args} { ${everyField(field.type, isPage ? depth : depth - 1)} }`]
  })
  return `__typename ${parts.join(' ')}`
}

/** A query for every root field, and one for each order and each bound of a number of each list. */
function everyQuery(): string[] {
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    ({ name }) => !/^(node|nodes|_|limits|preview|hooks)/.test(name),
  )
  return roots.flatMap((field) => {
    const args = argumentsOf(field)
    if (args === undefined || isLeafType(getNamedType(field.type))) return []
    const named = getNamedType(field.type)
    const brief = (more: string[]) => {
      const inner =
        isObjectType(named) && named.name.endsWith('Connection')
          ? 'nodes { __typename }'
          : '__typename'
      return `{ ${field.name}${argumentsOf(field, more)} { ${inner} } }`
    }
    const order = field.args.find(({ name }) => name === 'orderBy')
    const keys = order ? getNamedType(order.type) : undefined
    const where = field.args.find(({ name }) => name === 'where')
    const filter =
      where && !isRequiredArgument(where)
        ? (getNamedType(where.type) as { getFields?(): Record<string, { type: unknown }> })
        : undefined
    // Orders and bounds of positions need a narrow filter, counts of feeds too.
    const feeds = ['ActivityFilter', 'LiquidationFilter', 'LiquidationRewardFilter']
    const isActivity = feeds.includes(String(where?.type))
    const narrow =
      isActivity || String(where?.type) === 'PositionFilter' ? [`users: "${sampleUser}"`] : []
    const required = narrow.length > 0 ? [`where: { ${narrow[0]} }`] : []
    const orders = isEnumType(keys)
      ? keys
          .getValues()
          .flatMap(({ name }) =>
            ['ASC', 'DESC'].map((direction) =>
              brief([...required, `orderBy: ${name}, orderDirection: ${direction}`]),
            ),
          )
      : []
    const bounds = Object.entries(filter?.getFields?.() ?? {})
      .filter(([, { type }]) => /^Float/.test(String(type)))
      .map(([name]) => brief([`where: { ${[...narrow, `${name}: { gte: 0.5 }`].join(', ')} }`]))
    const all = isActivity ? argumentsOf(field, required) : args
    return [`{ ${field.name}${all} { ${everyField(field.type, 2)} } }`, ...orders, ...bounds]
  })
}

test('queries reach the lists, their orders and bounds', () => {
  const all = everyQuery()
  for (const part of [
    '{ user(',
    'orderBy: TVL_USD, orderDirection: DESC',
    'healthFactor: { gte',
    'netDepositApr',
    'utilization',
    'positionAggregates',
  ])
    expect(
      all.some((query) => query.includes(part)),
      part,
    ).toBe(true)
  expect(all.length).toBeGreaterThan(100)
})

test('whatever doubles are stored, every field is answered, planned and resolved, and so is REST', {
  timeout: 600_000,
}, async () => {
  for (let round = 0; round < (LONG ? 20 : 1); round++) {
    await writeExtremes()
    for (const query of everyQuery()) {
      const [one, other] = [await planned.graphql(query), await resolved.graphql(query)]
      expect({ planned: one.errors, resolved: other.errors }, query.slice(0, 3000)).toEqual({})
      expect(other, query.slice(0, 3000)).toEqual(one)
    }
    for (const path of someOf(await everyRequest(planned), 9)) {
      const response = await planned.get(path)
      expect(response.status, `${path} ${(await response.text()).slice(0, 300)}`).toBeLessThan(500)
    }
  }
})

test.each([
  ['5e-324', 5e-324],
  ['-5e-324', -5e-324],
  ['1.5e-323', 1.5e-323],
  ['2.2250738585072014e-308', 2.2250738585072014e-308],
])('the average of doubles that are all %s is that double', async (stored, average) => {
  await planned.deps.store.pool.query(
    `UPDATE stored_position SET a_supplied_amount_usd = ${stored}, b_supplied_amount_usd = 0`,
  )
  const query = `{ positionAggregates(where: { date: { eq: "${ids.date}" } }) { averageSuppliedUsd } }`
  for (const gateway of [planned, resolved])
    expect(await gateway.graphql(query)).toEqual({
      data: { positionAggregates: [{ averageSuppliedUsd: average }] },
    })
})
