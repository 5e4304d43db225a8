import {
  type AssertArguments,
  type Columns,
  defineLookup,
  type KeyType,
  type Lookup,
  sqlFields,
} from 'pothos-sql'
import { selectList } from 'pothos-sql/host'
import { type Holder, oneOwner } from '../../../domain/holding/holding.ts'
import { Prisma } from '../../../generated/prisma/client.ts'

type From = (holder: Holder) => Prisma.Sql

const aggregated = (columns: Columns): Columns =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, { ...column, sql: `e."${name}"` }]),
  )

// An aggregate over the holdings of the user in the parent row. It always yields one row.
const holdings = (columns: Columns, from: From, bodies = new Map<string, Prisma.Sql>()) => ({
  columns: aggregated(columns),
  // The user's address, and the argument chainId.
  types: ['text', 'bigint'] satisfies KeyType[],
  always: true,
  at: (address: Prisma.Sql, chainId: Prisma.Sql) => {
    let body = bodies.get(address.sql)
    if (!body) {
      const holder = { owners: oneOwner(address), chainId: Prisma.raw('chain.id') }
      body = Prisma.sql`SELECT ${selectList(columns)} ${from(holder)}`
      bodies.set(address.sql, body)
    }
    return Prisma.sql`FROM (SELECT ${chainId} AS id) chain CROSS JOIN LATERAL (${body}) e`
  },
})

// The same as of a moment, or between two.
const holdingsAsOf = (columns: Columns, from: From) => ({
  columns: aggregated(columns),
  types: ['text', 'bigint', 'timestamptz', 'timestamptz'] satisfies KeyType[],
  always: true,
  at: (address: Prisma.Sql, chainId: Prisma.Sql, moment: Prisma.Sql, since?: Prisma.Sql) => {
    const then = { chainId: Prisma.raw('at.chain_id'), asOf: Prisma.raw('at.moment') }
    const holder = { owners: oneOwner(address), ...then, since: since && Prisma.raw('at.since') }
    return Prisma.sql`FROM (
        SELECT ${chainId} AS chain_id, ${moment} AS moment,
          ${since ?? Prisma.sql`NULL`} AS since) at
      CROSS JOIN LATERAL (SELECT ${selectList(columns)} ${from(holder)}) e`
  },
})

/**
 * Declares a user's aggregate over holdings, now or at the argument `at`.
 * @param presence the column that is null if the aggregate is null
 * @param assert checks the arguments; the field then has an argument `since` too
 */
export const heldBy = (
  columns: Columns,
  from: From,
  presence?: string,
  assert?: AssertArguments,
) => {
  const lookup = (held: Omit<Lookup, 'load'>) =>
    defineLookup({ ...held, ...(presence && { presence }) })
  const by = ['address', 'chainId']
  const given = ['at', ...(assert ? ['since'] : [])]
  return sqlFields.declare(
    {
      kind: 'lookup',
      lookup: lookup(holdings(columns, from)),
      by,
      past: {
        kind: 'lookup',
        lookup: lookup(holdingsAsOf(columns, from)),
        by: [...by, ...given],
        given,
        ...(assert && { assert }),
      },
    },
    { cost: { weight: 5 } },
  )
}
