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

/** In how many markets and vaults a user is taken to be, however long a page is asked for. */
const MOST_ENTITIES = 20

/** What is had by the user whose columns these are: one row, whatever there is. */
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

/** How a user leads to earnings and to net APR. */
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
    description: 'What a user can have a position in.',
    values: {
      MARKET: { value: 'market' as const, description: 'One side of a pool.' },
      VAULT: { value: 'vault' as const, description: 'A vault that lends across markets.' },
    },
  })

  const EarningsItem = builder.objectRef<EntityEarnings>('EarningsItem').implement({
    description: "A user's earnings in one market or vault.",
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain.' }),
      entityAddress: t.expose('entityId', { type: 'Address', description: 'The address of the market or vault.' }),
      entityType: t.expose('entityType', { type: EntityType, description: 'Whether it is a market or a vault.' }),
      currentValueUsd: t.exposeFloat('currentValueUsd', {
        description: 'Value at the newest snapshot, USD; a missing price counts as 0.',
      }),
      netCashInvestedUsd: t.exposeFloat('netCashInvestedUsd', {
        description: 'Deposits + repayments - withdrawals - borrowings, USD.',
      }),
      earningsUsd: t.exposeFloat('earningsUsd', { description: 'Current value minus net cash invested, USD.' }),
      hasIncompletePrices: t.exposeBoolean('hasIncompletePrices', { description: 'Whether a price was missing.' }),
    }),
  })

  const EarningsChosen = chosen('EarningsItem', earningsChoices, { entityType: EntityType })
  const EarningsItems = connectionType(builder, 'EarningsItem', EarningsItem)
  const Earnings = builder.objectRef<EarningsRow>('Earnings').implement({
    description:
      "A user's earnings: what positions are worth now, minus the money that went in. Totals are over all entities.",
    fields: (t) => ({
      totalEarningsUsd: t.exposeFloat('totalEarningsUsd', { description: 'Earnings, USD.' }),
      totalCurrentValueUsd: t.exposeFloat('totalCurrentValueUsd', { description: 'Current value, USD.' }),
      totalNetCashInvestedUsd: t.exposeFloat('totalNetCashInvestedUsd', { description: 'Net cash invested, USD.' }),
      hasIncompletePrices: t.exposeBoolean('hasIncompletePrices', { description: 'Whether any price was missing.' }),
      breakdown: t.field({
        type: EarningsItems,
        description: 'Every entity in which the user has a snapshot or a cash flow, by current value, largest first.',
        args: listArguments(t.arg, EarningsChosen),
        ...breakdown(entityEarnings, EarningsChosen),
      }),
    }),
  })

  const NetAprItem = builder.objectRef<EntityApr>('NetAprItem').implement({
    description: "A user's deposit and debt in one market or vault, with their rates.",
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain.' }),
      entityAddress: t.expose('entityId', { type: 'Address', description: 'The address of the market or vault.' }),
      entityType: t.expose('entityType', { type: EntityType, description: 'Whether it is a market or a vault.' }),
      earnDepositUsd: t.exposeFloat('depositUsd', {
        description: 'What earns, USD: collateral (protected earns nothing), or vault assets.',
      }),
      depositRate: t.exposeFloat('depositRate', { description: 'What it earns, a fraction a year.' }),
      borrowUsd: t.exposeFloat('debtUsd', { description: 'Debt, USD.' }),
      borrowRate: t.exposeFloat('borrowRate', { description: 'What it costs, a fraction a year.' }),
    }),
  })

  const NetAprChosen = chosen('NetAprItem', netAprChoices, { entityType: EntityType })
  const NetAprItems = connectionType(builder, 'NetAprItem', NetAprItem)
  const NetApr = builder.objectRef<NetAprRow>('NetApr').implement({
    description: "The average rates of a user's deposits and debts. Totals are over all entities.",
    fields: (t) => ({
      earnNetApr: t.exposeFloat('earnNetApr', {
        description: 'Weighted by deposit in USD, a fraction a year; 0 with none.',
      }),
      borrowNetApr: t.exposeFloat('borrowNetApr', {
        description: 'Weighted by debt in USD, a fraction a year; 0 with none.',
      }),
      totalEarnDepositsUsd: t.exposeFloat('totalEarnDepositsUsd', { description: 'What earns, USD.' }),
      totalBorrowUsd: t.exposeFloat('totalBorrowUsd', { description: 'Debt, USD.' }),
      breakdown: t.field({
        type: NetAprItems,
        description: 'Every entity in which the user has a snapshot, by deposit + debt, largest first.',
        args: listArguments(t.arg, NetAprChosen),
        ...breakdown(entityAprs, NetAprChosen),
      }),
    }),
  })
  return { Earnings, EarningsItem, NetApr, NetAprItem }
}

export type EarningsRefs = ReturnType<typeof addEarnings>
