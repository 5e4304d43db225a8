import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
} from 'graphql'
import { orderArguments } from './order.ts'

const schema = buildSchema(
  readFileSync(new URL('../../src/generated/rest-schema.graphql', import.meta.url), 'utf8'),
)

/**
 * Texts that arguments take, by what they name: `user`, `pool`, `market`, `vault`, `token`, `date`
 * and `run`.
 */
export type Known = Record<string, string[]>

/** A field's arguments, and whether they are of a list. */
function argumentsOf(
  ids: Known,
  field: GraphQLField<unknown, unknown>,
  parent: string,
  pick: Pick,
): string {
  const one = (kind: string) =>
    JSON.stringify(pick([...(ids[kind] ?? []), '0x0000000000000000000000000000000000000001']))
  const date = () => JSON.stringify(pick([...(ids.date ?? []), '2020-01-01']))
  const seconds = () => String(pick([0, 1_700_000_000, 1_795_000_000, 2_000_000_000]))
  const args: string[] = []
  const backward = pick([false, false, true])
  for (const { name, type } of field.args) {
    const needed = String(type).endsWith('!')
    const some = needed || pick([true, false])
    if (name === 'first' && !backward && some) args.push(`first: ${pick([0, 1, 2, 3, 5])}`)
    if (name === 'last' && backward) args.push(`last: ${pick([0, 1, 2, 4])}`)
    if (name === 'offset' && !backward && pick([true, false, false]))
      args.push(`offset: ${pick([0, 1, 3, 1000])}`)
    if (!some) continue
    if (field.name === 'leaderboard' && ['from', 'to', 'pool', 'chainId'].includes(name)) {
      if (args.some((one) => one.startsWith('asOf'))) continue
      if (name === 'from') args.push(`from: ${date()}`)
    }
    if (['user', 'pool', 'market', 'vault'].includes(name)) args.push(`${name}: ${one(name)}`)
    if (name === 'address')
      args.push(`address: ${one(field.name === 'asset' ? 'token' : field.name.replace(/s$/, ''))}`)
    if (name === 'addresses')
      args.push(`addresses: [${one('user')}, ${one('user')}, ${one('user')}]`)
    if (name === 'asset') args.push(`asset: ${one('token')}`)
    if (name === 'assets') args.push(`assets: [${one('token')}, ${one('token')}]`)
    // Fields that ignore it are refused.
    if (parent === 'Query' && ['program', 'portfolio'].includes(field.name) && name !== 'addresses')
      continue
    if (['date', 'asOf', 'at', 'since', 'afterDate', 'until'].includes(name))
      args.push(`${name}: ${date()}`)
    if (['from', 'to'].includes(name) && parent !== 'Query')
      args.push(`${name}: ${String(type).startsWith('Date') ? date() : `"${seconds()}"`}`)
    if (name === 'interval') args.push(`interval: ${pick(['DAY', 'WEEK', 'MONTH'])}`)
    if (name === 'groupBy') args.push(`groupBy: ${pick(['POOL', 'CHAIN', 'ASSET'])}`)
    if (name === 'chainId') args.push(`chainId: ${pick([146, 1, 43114])}`)
    if (name === 'where' && parent === 'Earnings') args.push(`where: ${pick(EARNINGS_WHERE)}`)
    if (name === 'orderBy' && parent === 'Earnings')
      args.push(orderArguments(pick(['ENTITY_ASC', 'EARNINGS_USD_DESC'])))
    if (name === 'orderBy' && parent === 'NetApr')
      args.push(orderArguments(pick(['BORROW_APR_DESC', 'CHAIN_ID_ASC, BORROWED_USD_ASC'])))
    if (name === 'orderBy' && ['pools', 'markets'].includes(field.name))
      args.push(orderArguments(pick(AMOUNT_ORDERS)))
    if (name === 'where' && ['pools', 'markets'].includes(field.name))
      args.push(`where: ${pick(AMOUNT_WHERE)}`)
    if (name === 'recordId')
      args.push(`recordId: ${JSON.stringify(pick([...(ids.run ?? []), '0']))}`)
    if (name === 'grouped') args.push(`grouped: ${pick([true, false])}`)
  }
  return args.length > 0 ? `(${args.join(', ')})` : ''
}

type Pick = <T>(from: T[]) => T

const EARNINGS_WHERE = ['{ entityTypes: VAULT }', '{ worthUsd: { gt: 100 }, NOT: { chainIds: 1 } }']

const AMOUNT_ORDERS = ['TVL_USD_DESC', 'UTILIZATION_ASC, BORROWED_USD_DESC']
const AMOUNT_WHERE = ['{ tvlUsd: { gt: 100 } }', '{ NOT: { utilization: { lt: 0.5 } } }']

/** Fields that are resolved, or need what the sample has not. */
const UNPLANNED = /^(changes|changesNotKept|revisions|edges|limits)$/

/** A random selection of a type that has a plan. */
function selection(ids: Known, type: GraphQLOutputType, depth: number, pick: Pick): string {
  const named = getNamedType(type)
  if (isInterfaceType(named)) {
    const some = schema.getPossibleTypes(named).filter(() => pick([true, true, false]))
    const parts = some.map((one) => `... on ${one.name} { ${selection(ids, one, depth, pick)} }`)
    const leaf = pick(
      Object.values(named.getFields()).filter((field) => isLeafType(getNamedType(field.type))),
    )
    return [pick(['__typename', `common: ${leaf.name}`]), ...parts].join(' ')
  }
  if (!isObjectType(named)) throw new Error(`${named} is no object`)
  const fields = Object.values(named.getFields()).filter(
    (field) => !UNPLANNED.test(field.name) && (depth > 0 || isLeafType(getNamedType(field.type))),
  )
  const parts: string[] = [pick(['__typename', ''])].filter(
    (part) => part !== '' && !named.name.endsWith('Connection'),
  )
  const count = named.name.endsWith('Connection') ? 3 : pick([1, 2, 3, 4, 6])
  let aliases = 0
  const seen = new Set<string>()
  for (let n = 0; n < count; n++) {
    const field = pick(fields)
    if (!field || seen.has(field.name) || (field.name === 'pageInfo' && depth < 1)) continue
    seen.add(field.name)
    const leaf = isLeafType(getNamedType(field.type))
    const alias = pick([true, false, false]) ? `alias${++aliases}: ` : ''
    if (field.name === 'pageInfo')
      parts.push(`pageInfo { ${pick(['hasNextPage', 'hasPreviousPage hasNextPage'])} }`)
    else
      parts.push(
        `${alias}${field.name}${argumentsOf(ids, field, named.name, pick)}${leaf ? '' : ` { ${selection(ids, field.type, depth - 1, pick)} }`}`,
      )
  }
  if (named.name.endsWith('Connection') && !seen.has('nodes')) {
    const { nodes } = named.getFields()
    if (nodes) parts.push(`nodes { ${selection(ids, nodes.type, depth - 1, pick)} }`)
  }
  if (parts.length === 0) {
    const leaf = fields.find((field) => isLeafType(getNamedType(field.type)))
    parts.push(leaf ? leaf.name : '__typename')
  }
  return parts.join(' ')
}

const ROOTS = [
  'user',
  'users',
  'positions',
  'leaderboard',
  'pools',
  'pool',
  'asset',
  'assets',
  'markets',
  'vaults',
  'multipliers',
  'multiplierRevisions',
  'distributions',
  'distribution',
  'run',
  'runs',
  'lookupUsers',
  'program',
  'series',
  'basePoints',
  'basePointsRevisions',
]

/** A random query that has a plan, most of the time. The numbers choose its fields. */
export function randomQuery(ids: Known, seed: number[], depth = 4): string {
  let at = 0
  const pick: Pick = (from) => from[(seed[at++ % seed.length] as number) % from.length] as never
  const roots = schema.getQueryType()?.getFields() ?? {}
  const names = pick([1, 1, 1, 2]) === 1 ? [pick(ROOTS)] : [pick(ROOTS), pick(ROOTS)]
  const parts = names.map((name, i) => {
    const field = roots[name]
    if (!field) throw new Error(`the schema has no ${name}`)
    return `r${i}: ${name}${argumentsOf(ids, field, 'Query', pick)} { ${selection(ids, field.type, depth, pick)} }`
  })
  return `{ ${parts.join(' ')} }`
}
