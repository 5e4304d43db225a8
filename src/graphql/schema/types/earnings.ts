import type { ArgBuilder } from '@pothos/core'
import {
  type Columns,
  type HostValue,
  type PageArguments,
  type PlainList,
  sqlFields,
} from 'pothos-sql'
import { inOrder, pageArguments, readPage, rowsByKey, selectList } from 'pothos-sql/host'
import type { Batch } from '../../../db/connect/reader.ts'
import {
  type AssetEarnings as AssetEarningsRow,
  assetEarningsColumns,
  assetEarningsFrom,
  type Earnings as EarningsRow,
  earningsColumns,
  earningsFrom,
  entityEarningsColumns,
  entityEarningsFrom,
  MOST_GROUPS,
  type PoolEarnings as PoolEarningsRow,
  poolEarningsColumns,
  poolEarningsFrom,
} from '../../../domain/earnings/earnings.ts'
import {
  entityAprColumns,
  entityAprFrom,
  MOST_WITHOUT_RATES,
  type NetApr as NetAprRow,
  netAprColumns,
  netAprFrom,
  withoutRatesFrom,
} from '../../../domain/earnings/net-apr.ts'
import type { Entity as EntityRow } from '../../../domain/holding/holding.ts'
import { badArgument } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { GraphContext } from '../../context.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { columnFields, columnsType } from '../column-fields.ts'
import { assetCost } from './asset.ts'
import { entityOf } from './entity-of.ts'
import { heldBy } from './held-by.ts'
import { legacyEarnings } from './legacy.ts'
import { poolAt, poolField } from './pool.ts'

// The number of markets and vaults that the cost estimate assumes for a user, whatever the page
// size.
const MOST_ENTITIES = 20

export const sinceArgument = (arg: ArgBuilder<Types>) =>
  arg({
    type: 'DateTime',
    description:
      'The start of a period: all amounts, also those by market, vault, asset and pool, are ' +
      'changes since then. `interestUsd` has the prices at its end. Not later than `at`.',
  })

/** @throws BAD_INPUT */
export function assertPeriod({
  since,
  at,
}: {
  since?: Date | null | undefined
  at?: Date | null | undefined
}): void {
  if (since && at && since > at) throw badArgument('since', 'must not be later than at')
}

export const earningsReading = heldBy(earningsColumns, earningsFrom, undefined, assertPeriod)
export const netAprReading = heldBy(netAprColumns, netAprFrom)

const breakdownArguments = (arg: ArgBuilder<Types>) => {
  const { first, offset } = pageArguments(arg)
  return { first, offset }
}

/**
 * Declares a plain list made of a column of records of the parent: an array in a plan, JSON in
 * resolvers.
 */
export function ofRecords<Row>(
  name: string,
  columns: Columns,
  from: (records: Prisma.Sql, args: PageArguments) => Prisma.Sql,
  cost: FieldCost,
  order?: string[],
) {
  const described: PlainList = {
    columns,
    by: [name],
    from: ({ args }, records) => from(Prisma.sql`unnest(${records})`, args),
    ...(order && { order }),
  }
  const load: Batch<string, Row[], [PageArguments]> = (reader, owners, args) =>
    rowsByKey(
      reader,
      ['text'],
      owners.map((records) => [records]),
      ([records]) => {
        const rows = () => from(Prisma.sql`json_to_recordset(${records}::json)`, args)
        const ordered = inOrder({ from: rows, ...(order && { order }) }, { args, used: new Set() })
        return Prisma.sql`SELECT ${selectList(columns)} ${ordered}`
      },
    )
  return {
    ...sqlFields.declare({ kind: 'list', list: described }, { cost }),
    resolve: (
      row: Record<string, unknown>,
      args: PageArguments,
      { batches }: GraphContext,
    ): HostValue => batches.load(load, String(row[name]), args),
  }
}

const ofEntities = <Row>(columns: Columns, from: Parameters<typeof ofRecords>[2]) =>
  ofRecords<Row>('entities', columns, from, { rows: MOST_ENTITIES })

const breakdown = (columns: Columns, from: (records: Prisma.Sql) => Prisma.Sql) =>
  ofEntities<EntityRow>(columns, (records, args) => {
    const { limit, offset } = readPage({ name: '', order: [] }, args)
    return Prisma.sql`${from(records)} LIMIT ${limit}::int OFFSET ${String(offset)}::bigint`
  })

export function addEarnings(builder: Builder): void {
  const enums = { entityType: 'EntityType' }

  const EarningsItem = columnsType(builder, 'EarningsItem', entityEarningsColumns, {
    description: "A user's earnings in one market or vault.",
    enums,
  })
  const AssetEarnings = builder.objectRef<AssetEarningsRow>('AssetEarnings').implement({
    description: "A user's earnings in all markets and vaults that lend an asset.",
    fields: (t) => ({
      asset: t.field({
        type: 'Asset',
        description: 'The asset.',
        ...sqlFields.embedded(
          { chainId: 'chainId', address: 'address', symbol: 'symbol', decimals: 'decimals' },
          assetCost,
        ),
      }),
      ...columnFields(t, assetEarningsColumns),
    }),
  })
  const PoolEarnings = builder.objectRef<PoolEarningsRow>('PoolEarnings').implement({
    description: "A user's earnings in both markets of a pool.",
    fields: (t) => ({
      pool: t.field({ ...poolField, ...sqlFields.lookup(poolAt, ['poolAddress']) }),
      ...columnFields(t, poolEarningsColumns),
    }),
  })
  builder.objectRef<EarningsRow>('Earnings').implement({
    description: 'Net worth minus net cash invested, in all markets and vaults.',
    fields: (t) => ({
      ...columnFields(t, earningsColumns),
      legacy: t.field(legacyEarnings),
      breakdown: t.field({
        type: [EarningsItem],
        description: 'Each market and vault with a history, by worth, largest first.',
        args: breakdownArguments(t.arg),
        ...breakdown(entityEarningsColumns, entityEarningsFrom),
      }),
      byAsset: t.field({
        type: [AssetEarnings],
        description:
          'The earnings by asset, those of the largest current value first, at most ' +
          `${MOST_GROUPS}. Markets and vaults that are not stored are left out.`,
        ...ofEntities<AssetEarningsRow>(assetEarningsColumns, assetEarningsFrom),
      }),
      byPool: t.field({
        type: [PoolEarnings],
        description:
          'The earnings by pool, those of the largest current value first, at most ' +
          `${MOST_GROUPS}. Vaults, which are in no pool, and markets that are not stored are ` +
          'left out.',
        ...ofEntities<PoolEarningsRow>(poolEarningsColumns, poolEarningsFrom),
      }),
    }),
  })

  const NetAprItem = columnsType(builder, 'NetAprItem', entityAprColumns, {
    description: "A user's deposit and debt in one market or vault, with their APR.",
    enums,
  })
  const LegacyNetApr = builder
    .objectRef<Pick<NetAprRow, 'netDepositApr' | 'netBorrowApr'>>('LegacyNetApr')
    .implement({
      description:
        'Averages in which a rate that is not known counts as 0, as the REST endpoint shows them.',
      fields: (t) => ({
        netDepositApr: t.exposeFloat('netDepositApr', {
          description: 'The average APR of all deposits as a fraction, by USD. 0 without deposits.',
        }),
        netBorrowApr: t.exposeFloat('netBorrowApr', {
          description: 'The average APR of all debt as a fraction, by USD. 0 without debt.',
        }),
      }),
    })
  builder.objectRef<NetAprRow>('NetApr').implement({
    description: 'The average APR of deposits and debts in all markets and vaults.',
    fields: (t) => ({
      ...columnFields(t, netAprColumns),
      breakdown: t.field({
        type: [NetAprItem],
        description: 'Each market and vault with a snapshot, largest deposit + debt first.',
        args: breakdownArguments(t.arg),
        ...breakdown(entityAprColumns, entityAprFrom),
      }),
      withoutRates: t.field({
        type: [NetAprItem],
        description:
          'The markets and vaults whose rates are not known, because they are not stored, ' +
          `largest deposit + debt first, at most ${MOST_WITHOUT_RATES}. The averages leave them ` +
          'out.',
        ...ofEntities<EntityRow>(entityAprColumns, withoutRatesFrom),
      }),
      legacy: t.field({
        type: LegacyNetApr,
        description: 'For the REST API: averages in which a rate that is not known counts as 0.',
        ...sqlFields.embedded(
          { netDepositApr: 'depositAprOfAll', netBorrowApr: 'borrowAprOfAll' },
          { cost: { weight: 0 } },
        ),
      }),
    }),
  })
  builder.objectFields(EarningsItem, (t) => ({ legacy: t.field(legacyEarnings) }))
  for (const item of [EarningsItem, NetAprItem])
    builder.objectFields(item, (t) => ({
      entity: t.field(entityOf),
    }))
}
