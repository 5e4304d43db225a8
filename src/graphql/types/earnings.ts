import { earningsChoices, netAprChoices } from '../../domain/earnings/choices.ts'
import type { Earnings as EarningsRow, EntityEarnings } from '../../domain/earnings/earnings.ts'
import type { NetApr as NetAprRow } from '../../domain/earnings/net-apr.ts'
import type { EntityType as EntityTypeName, Holding } from '../../domain/holding/holding.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes } from '../choices.ts'
import { chooseRows } from '../choose-rows.ts'
import { connectArray } from '../connection.ts'
import { connectionType } from './connection-type.ts'
import { listArguments } from './page-arguments.ts'

/** In how many markets and vaults a user is taken to be, however long a page is asked for. */
const MOST_ENTITIES = 20

const place = (of: { chainId: bigint; entityType: EntityTypeName; entityId: string }) =>
  `${of.chainId} ${of.entityType} ${of.entityId}`

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
        extensions: { cost: { most: MOST_ENTITIES } },
        args: listArguments(t.arg, EarningsChosen),
        resolve: (earnings, args) => {
          const { name, rows } = chooseRows(EarningsChosen.choices, 'earnings', earnings.breakdown, args)
          return connectArray(name, rows, place, args)
        },
      }),
    }),
  })

  const NetAprItem = builder.objectRef<Holding>('NetAprItem').implement({
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
        extensions: { cost: { most: MOST_ENTITIES } },
        args: listArguments(t.arg, NetAprChosen),
        resolve: (apr, args) => {
          const { name, rows } = chooseRows(NetAprChosen.choices, 'netApr', apr.breakdown, args)
          return connectArray(name, rows, place, args)
        },
      }),
    }),
  })
  return { Earnings, EarningsItem, NetApr, NetAprItem }
}

export type EarningsRefs = ReturnType<typeof addEarnings>
