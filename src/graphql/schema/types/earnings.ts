import { type Columns, type Listing, selectList } from '../../../db/lists/listing.ts'
import { earningsChoices, netAprChoices } from '../../../domain/earnings/choices.ts'
import {
  type Earnings as EarningsRow,
  type EntityEarnings,
  earningsColumns,
  earningsFrom,
  entityEarnings,
} from '../../../domain/earnings/earnings.ts'
import {
  type EntityApr,
  entityAprs,
  type NetApr as NetAprRow,
  netAprColumns,
  netAprFrom,
} from '../../../domain/earnings/net-apr.ts'
import { type Holder, oneOwner } from '../../../domain/holding/holding.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { list, type One } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes, Chosen } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'
import { listArguments } from './page-arguments.ts'

/** The number of markets and vaults that the cost estimate assumes for a user, whatever the page size. */
const MOST_ENTITIES = 20

/** An aggregate over the holdings of the user in the parent row. It always yields one row. */
const held = (columns: Columns, from: (holder: Holder) => Prisma.Sql, bodies = new Map<string, Prisma.Sql>()): One => ({
  columns: Object.fromEntries(Object.keys(columns).map((field) => [field, `e."${field}"`])),
  always: true,
  at: (keys) => {
    const [address, markets, vaults, chainId] = keys as [Prisma.Sql, Prisma.Sql, Prisma.Sql, Prisma.Sql]
    const key = `${address.sql} ${markets.sql} ${vaults.sql}`
    let body = bodies.get(key)
    if (!body) {
      const holder = { owners: oneOwner(address), markets, vaults, chainId: Prisma.raw('chain.id') }
      body = Prisma.sql`SELECT ${selectList(columns)} ${from(holder)}`
      bodies.set(key, body)
    }
    return Prisma.sql`FROM (SELECT ${chainId} AS id) chain CROSS JOIN LATERAL (${body}) e`
  },
})

/** The parent columns that `earningsAt` and `netAprAt` read. */
export const heldBy = ['address', 'latestMarkets', 'latestVaults', 'chainId']
export const earningsAt = held(earningsColumns, earningsFrom)
export const netAprAt = held(netAprColumns, netAprFrom)

const breakdown = (listing: Listing<EntityEarnings> | Listing<EntityApr>, { choices }: Chosen) =>
  list(
    {
      listing: () => listing,
      choices,
      filter: () => ({ where: [] }),
      owner: { columns: [{ column: 'entities', type: 'text' }], fields: ['entities'] },
      total: { load: (row) => async () => row.entityCount, sql: (_, column) => column('entityCount') },
    },
    { cost: { most: MOST_ENTITIES } },
  )

export function addEarnings(builder: Builder, { chosen }: { chosen: ChoiceTypes }) {
  const EntityType = builder.enumType('EntityType', {
    description: 'The kind of entity that a user has a position in.',
    values: {
      MARKET: { value: 'market' as const, description: 'A market: one side of a pool.' },
      VAULT: { value: 'vault' as const, description: 'A vault that lends across markets.' },
    },
  })

  const EarningsItem = builder.objectRef<EntityEarnings>('EarningsItem').implement({
    description: "A user's earnings in one market or vault.",
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain id.' }),
      entityAddress: t.expose('entityId', { type: 'Address', description: 'The address of the market or vault.' }),
      entityType: t.expose('entityType', {
        type: EntityType,
        description: 'Whether the entity is a market or a vault.',
      }),
      currentValueUsd: t.exposeFloat('currentValueUsd', {
        description: 'Value at the newest snapshot, in USD. A missing price counts as 0.',
      }),
      netCashInvestedUsd: t.exposeFloat('netCashInvestedUsd', {
        description: 'Net cash invested, in USD: deposits + repayments - withdrawals - borrowings.',
      }),
      earningsUsd: t.exposeFloat('earningsUsd', {
        description: 'Earnings, in USD: current value minus net cash invested.',
      }),
      hasIncompletePrices: t.exposeBoolean('hasIncompletePrices', { description: 'Whether a price was missing.' }),
    }),
  })

  const EarningsChosen = chosen('EarningsItem', earningsChoices, { entityType: EntityType })
  const EarningsItems = connectionType(builder, 'EarningsItem', EarningsItem)
  const Earnings = builder.objectRef<EarningsRow>('Earnings').implement({
    description:
      "A user's earnings: the current value of the positions minus the net cash invested. Totals cover all entities.",
    fields: (t) => ({
      totalEarningsUsd: t.exposeFloat('totalEarningsUsd', { description: 'Total earnings, in USD.' }),
      totalCurrentValueUsd: t.exposeFloat('totalCurrentValueUsd', { description: 'Total current value, in USD.' }),
      totalNetCashInvestedUsd: t.exposeFloat('totalNetCashInvestedUsd', {
        description: 'Total net cash invested, in USD.',
      }),
      hasIncompletePrices: t.exposeBoolean('hasIncompletePrices', { description: 'Whether any price was missing.' }),
      breakdown: t.field({
        type: EarningsItems,
        description: 'All entities in which the user has a snapshot or a cash flow, by current value, largest first.',
        args: listArguments(t.arg, EarningsChosen),
        ...breakdown(entityEarnings, EarningsChosen),
      }),
    }),
  })

  const NetAprItem = builder.objectRef<EntityApr>('NetAprItem').implement({
    description: "A user's deposit and debt in one market or vault, with their APR.",
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain id.' }),
      entityAddress: t.expose('entityId', { type: 'Address', description: 'The address of the market or vault.' }),
      entityType: t.expose('entityType', {
        type: EntityType,
        description: 'Whether the entity is a market or a vault.',
      }),
      earnDepositUsd: t.exposeFloat('depositUsd', {
        description:
          'The interest-earning deposit, in USD: collateral in a market (protected collateral earns nothing) or assets in a vault.',
      }),
      depositRate: t.exposeFloat('depositRate', { description: 'The deposit APR as a fraction: 0.05 is 5 %.' }),
      borrowUsd: t.exposeFloat('debtUsd', { description: 'Debt, in USD.' }),
      borrowRate: t.exposeFloat('borrowRate', { description: 'The borrow APR as a fraction: 0.05 is 5 %.' }),
    }),
  })

  const NetAprChosen = chosen('NetAprItem', netAprChoices, { entityType: EntityType })
  const NetAprItems = connectionType(builder, 'NetAprItem', NetAprItem)
  const NetApr = builder.objectRef<NetAprRow>('NetApr').implement({
    description: "The average APR of a user's deposits and debts. Totals cover all entities.",
    fields: (t) => ({
      earnNetApr: t.exposeFloat('earnNetApr', {
        description: 'The average deposit APR as a fraction, weighted by deposit in USD. 0 if there are no deposits.',
      }),
      borrowNetApr: t.exposeFloat('borrowNetApr', {
        description: 'The average borrow APR as a fraction, weighted by debt in USD. 0 if there is no debt.',
      }),
      totalEarnDepositsUsd: t.exposeFloat('totalEarnDepositsUsd', {
        description: 'Total interest-earning deposits, in USD.',
      }),
      totalBorrowUsd: t.exposeFloat('totalBorrowUsd', { description: 'Total debt, in USD.' }),
      breakdown: t.field({
        type: NetAprItems,
        description: 'All entities in which the user has a snapshot, by deposit + debt, largest first.',
        args: listArguments(t.arg, NetAprChosen),
        ...breakdown(entityAprs, NetAprChosen),
      }),
    }),
  })
  return { Earnings, EarningsItem, NetApr, NetAprItem }
}

export type EarningsRefs = ReturnType<typeof addEarnings>
