import { defineLookup, listTypes, type PagedList, sqlFields, type Where } from 'pothos-sql'
import {
  applyListInputs,
  cursorValues,
  encodeCursor,
  listArguments,
  rowsById,
} from 'pothos-sql/host'
import type { Reader } from '../../../db/connect/reader.ts'
import { revisionColumns, revisionUsedSql } from '../../../domain/multiplier/history.ts'
import {
  assertCountable,
  assertFilterable,
  assertSortable,
} from '../../../domain/position/bounds.ts'
import { asOfFilter, lastDate, onNewestDate } from '../../../domain/position/filter.ts'
import {
  isLiquidated,
  positionListing,
  positionsById,
  positionsOn,
  positionsUnder,
  rankedPositions,
} from '../../../domain/position/position.ts'
import { assertKnown } from '../../../domain/position/shocks.ts'
import { badArgument } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { isoDay } from '../../../time.ts'
import type { GraphContext } from '../../context.ts'
import type { FieldCost } from '../../policy/cost.ts'
import { asOfArgument } from '../as-of.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { liveField } from '../live-field.ts'
import { related } from '../relation.ts'
import { wholeTokensField } from '../token-amount.ts'
import { assetCost } from './asset.ts'
import type { addAtRisk } from './at-risk.ts'
import { FILTERED_COUNT, POSITIONS, positionParts, RARE } from './charges.ts'
import { legacyAddress, legacyRecord } from './legacy.ts'
import { liquidationTrigger } from './liquidation-trigger.ts'
import { addNode } from './node.ts'
import { poolField, poolOfPositions } from './pool.ts'
import { loadProgram } from './program.ts'
import { runAt } from './run.ts'
import { userAt, userField } from './user-ref.ts'

type SideAmount = 'suppliedAmount' | 'protectedSuppliedAmount' | 'borrowedAmount'
type PositionSide = {
  chainId: bigint
  assetAddress: string
  assetSymbol: string
  priceUsd: number
  decimals: number | null
} & {
  [Name in SideAmount | `${SideAmount}Usd`]: number
}

// Loads the multiplier that a run used for a position, unless its points were imported.
const revisionUsed = defineLookup({
  columns: revisionColumns,
  types: ['bigint', 'boolean', 'text', 'date'],
  at: (run, given, pool, date) => Prisma.sql`${revisionUsedSql(pool, run, date)} AND NOT ${given}`,
})

export function addPosition(builder: Builder, PriceShock: ReturnType<typeof addAtRisk>) {
  const Position = builder.prismaObject('Position', {
    findUnique: ({ id }) => ({ id }),
    description: "A user's amounts in a pool on a distribution date, and their points.",
  })
  listTypes(builder, Position, positionListing)
  const Side = builder.objectRef<PositionSide>('PositionSide').implement({
    description: "One side of a position: an asset, its price and the user's amounts.",
    fields: (t) => {
      const amount = (name: SideAmount, what: string) =>
        t.field({
          type: 'TokenAmount',
          description: `${what}. \`raw\` is null.`,
          ...wholeTokensField(name, `${name}Usd`, 'decimals'),
        })
      return {
        asset: t.field({
          type: 'Asset',
          description: "The side's token.",
          ...sqlFields.embedded(
            { chainId: 'chainId', address: 'assetAddress', symbol: 'assetSymbol' },
            assetCost,
          ),
        }),
        priceUsd: t.exposeFloat('priceUsd', {
          description: "The token's price in USD on the position's date.",
        }),
        supplied: amount('suppliedAmount', 'Borrowable supply'),
        protected: amount('protectedSuppliedAmount', 'Protected (non-borrowable) supply'),
        borrowed: amount('borrowedAmount', 'Amount borrowed'),
      }
    },
  })

  addNode(builder, Position, 'id', (id, { batches }) => batches.load(positionsById, id))
  builder.prismaObjectFields(Position, (t) => ({
    ...columnFields(t, positionListing.columns),
    legacy: t.field(legacyRecord),
    userAddress: t.expose('userAddress', legacyAddress),
    sideA: t.field({
      type: Side,
      description: 'Side A of the position.',
      ...sqlFields.embedded(sideColumns('a')),
    }),
    sideB: t.field({
      type: Side,
      description: 'Side B of the position.',
      ...sqlFields.embedded(sideColumns('b')),
    }),
    liquidationTrigger: t.field(liquidationTrigger),
    user: t.field({ ...userField, ...related('Position', 'user', userAt) }),
    pool: t.field({ ...poolField, ...related('Position', 'pool', poolOfPositions) }),
    run: t.field({
      type: 'Run',
      nullable: true,
      description: 'The run that stored the points. Null if they predate run records.',
      ...sqlFields.lookup(runAt, ['runId'], { cost: RARE }),
    }),
    multiplierUsed: t.field({
      type: 'MultiplierRevision',
      nullable: true,
      description:
        'The multiplier that produced the points. Null if the pool had none, if the points ' +
        'were imported, or if they predate run records.',
      ...sqlFields.lookup(revisionUsed, ['runId', 'given', 'poolAddress', 'distributionDate'], {
        cost: RARE,
      }),
    }),
  }))

  const cost = {
    cost: {
      ...POSITIONS,
      weight: positionParts,
      count: ({ asOf, where }) => (asOf || where ? FILTERED_COUNT : 10),
    } satisfies FieldCost,
  }
  const LegacyQuery = builder.objectRef<object>('LegacyQuery').implement({
    description: 'For the REST API: lists as it pages through them.',
    fields: (t) => ({
      positions: t.field({
        description:
          'Positions of all users, newest distribution date first, then by id. With `orderBy`, ' +
          'those of the newest date alone, ties by id; amounts are compared to six decimals.',
        ...sqlFields.list(t.arg, 'Position', {
          ...positionsAfterRecord,
          args: {
            afterRecord: t.arg.string({
              description:
                'Only positions after the record with this `recordId`, whether or not that ' +
                'record matches the filter. An unknown id is an error.',
            }),
          },
          extensions: cost,
        }),
      }),
    }),
  })

  builder.queryFields((t) => ({
    legacy: t.field({
      type: LegacyQuery,
      description: 'For the REST API: data that only it has.',
      ...sqlFields.embedded({}, { cost: { weight: 0 } }),
    }),
    positions: t.field({
      description: 'Positions of all users, newest distribution date first, then by id.',
      ...sqlFields.list(t.arg, 'Position', {
        ...allPositions,
        args: { asOf: asOfArgument(t.arg) },
        extensions: cost,
      }),
    }),
    currentPositions: t.field({
      description:
        'Positions of all users on the newest distribution date, by id. An order by ' +
        'HEALTH_FACTOR or LIQUIDATION_DROP needs a limit of either in `where`, or `shock`.',
      ...sqlFields.list(t.arg, 'Position', {
        args: {
          shock: t.arg({
            type: PriceShock,
            description:
              'Only positions that can be liquidated after this change of a price. Their values ' +
              'are those before it.',
          }),
        },
        prepare: async (args, reader: Reader) => {
          if (args.shock) await assertKnown(reader, [args.shock])
          return args
        },
        listing: ({ shock, where }) =>
          shock ? positionsUnder(shock) : positionsOn(lastDate(), where),
        assertSortable: (args) => args.shock || assertSortable(args, { dates: 1 }),
        filter: ({ shock }) => (shock ? isLiquidated : onNewestDate),
        extensions: {
          cost: {
            ...POSITIONS,
            weight: positionParts,
            count: () => FILTERED_COUNT,
          } satisfies FieldCost,
        },
      }),
    }),
  }))
  builder.subscriptionFields((t) => {
    const { first, where, orderBy, orderDirection } = listArguments(t.arg, 'Position')
    return {
      currentPositions: t.field({
        type: 'PositionConnection',
        args: { first, where, orderBy, orderDirection },
        ...liveField('Positions of all users on the newest distribution date'),
      }),
    }
  })
}

// The stored number of all positions, unless the arguments select some.
const totalUnless = (selects: (args: Record<string, unknown>) => boolean) => ({
  load: (_: unknown, args: Record<string, unknown>, context: GraphContext) =>
    selects(args) ? undefined : async () => (await loadProgram(context)).positionCount,
  sql: (args: Record<string, unknown>) =>
    selects(args) ? undefined : '(SELECT position_count FROM program)',
})

const allPositions: PagedList = {
  listing: ({ asOf, where }) => {
    const date = dateOf(asOf, where)
    return date ? positionsOn(date, where) : positionListing
  },
  assertSortable: (args) => assertSortable(args, boundsOf(args)),
  assertFilterable: (args) => assertFilterable(args.where, boundsOf(args)),
  assertCountable: (args) => assertCountable(args.where, boundsOf(args)),
  filter: ({ asOf }) => asOfFilter(asOf),
  total: totalUnless(({ asOf }) => Boolean(asOf)),
}

const isRanked = ({ orderBy }: Record<string, unknown>) => ((orderBy ?? []) as unknown[]).length > 0

// The same, paged by the ids of records. A ranking sorts the positions of one date.
const positionsAfterRecord: PagedList = {
  ...allPositions,
  listing: (args) => (isRanked(args) ? rankedPositions : allPositions.listing(args)),
  filter: (args) => (isRanked(args) ? onNewestDate : { where: [] }),
  assertSortable: () => {},
  assertFilterable: (args) => assertFilterable(args.where, rankedBounds(args)),
  assertCountable: (args) => assertCountable(args.where, rankedBounds(args)),
  total: totalUnless(isRanked),
  async prepare({ afterRecord, ...args }, reader: Reader) {
    if (typeof afterRecord !== 'string') return args
    const { listing } = afterRecordIn(args)
    const ids = afterRecord.includes('\0') ? [] : [afterRecord]
    const [record] = await rowsById(reader, listing, ids, 'text')
    if (!record)
      throw badArgument('cursor', 'names no record: use the nextCursor of the page before')
    return { ...args, after: encodeCursor(listing.name, cursorValues(listing, record)) }
  },
  startArgument: 'afterRecord',
  startAfter({ afterRecord: id, ...args }) {
    if (typeof id !== 'string' || id.includes('\0')) return undefined
    return afterRecordIn(args).listing.order.map(({ field, column }) =>
      field === 'id'
        ? Prisma.sql`${id}`
        : Prisma.sql`(SELECT ${Prisma.raw(column)} FROM position t WHERE t.id = ${id})`,
    )
  },
}

const rankedBounds = (args: Record<string, unknown>) => (isRanked(args) ? { dates: 1 } : {})
const afterRecordIn = (args: Record<string, unknown>) =>
  applyListInputs(isRanked(args) ? rankedPositions : positionListing, args)

// The bounds that a list's own arguments set.
const boundsOf = ({ asOf }: Record<string, unknown>) => (asOf ? { dates: 1 } : {})

// SQL of the only date that a list's arguments allow.
function dateOf(
  asOf: Date | null | undefined,
  where: Where | null | undefined,
): Prisma.Sql | undefined {
  if (asOf) return lastDate(asOf)
  const { eq } = (where?.date ?? {}) as { eq?: Date | null }
  return eq ? Prisma.sql`${isoDay(eq)}::date` : undefined
}

const sideColumns = (side: 'a' | 'b') => ({
  chainId: 'chainId',
  assetAddress: `${side}TokenAddress`,
  assetSymbol: `${side}TokenSymbol`,
  priceUsd: `${side}TokenPrice`,
  decimals: `${side}Decimals`,
  suppliedAmount: `${side}SuppliedAmount`,
  suppliedAmountUsd: `${side}SuppliedAmountUsd`,
  protectedSuppliedAmount: `${side}ProtectedSuppliedAmount`,
  protectedSuppliedAmountUsd: `${side}ProtectedSuppliedAmountUsd`,
  borrowedAmount: `${side}BorrowedAmount`,
  borrowedAmountUsd: `${side}BorrowedAmountUsd`,
})
