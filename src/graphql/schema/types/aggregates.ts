import type { FieldNode, GraphQLResolveInfo } from 'graphql'
import { directionArgument, fieldsOf, filterOf, orderType, sortBy } from 'pothos-sql/host'
import {
  type Aggregate,
  type AggregateRow,
  aggregated,
  type Measure,
  partName,
} from '../../../domain/aggregate/aggregate.ts'
import { MAX_AGGREGATE_USERS } from '../../../domain/aggregate/bounds.ts'
import { positionAggregate } from '../../../domain/aggregate/position-aggregate.ts'
import { rewardAggregate } from '../../../domain/aggregate/reward-aggregate.ts'
import { snapshotAggregate } from '../../../domain/aggregate/snapshot-aggregate.ts'
import { badArgument } from '../../../errors.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { aggregated as aggregatedCost } from './charges.ts'
import { GROUP_BY, type Key } from './group-key.ts'

const MAX_GROUPS = 1000
const MAX_OFFSET = 1_000_000

const MEASURES = { count: 'Int', float: 'Float', amount: 'BigInt', decimal: 'String' } as const
const TIMES = ['DAY', 'WEEK', 'MONTH']

// The measures that a field's selection reads, ignoring @include and @skip: its fields, and the
// parts of amounts.
function selectedNames({ fieldNodes, fragments }: GraphQLResolveInfo): Set<string> {
  const selected = (nodes: readonly FieldNode[]) => {
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    return [...fieldsOf(sets, fragments).values()]
  }
  return new Set(
    selected(fieldNodes).flatMap((nodes) =>
      nodes.flatMap(({ name }) => [
        name.value,
        ...selected(nodes).flatMap((parts) =>
          parts.map((part) => partName(name.value, part.name.value)),
        ),
      ]),
    ),
  )
}

const amountsOf = (measures: Aggregate['measures']) =>
  new Map(
    Object.values(measures).flatMap(({ of, description }) =>
      of ? [[of.amount, description] as const] : [],
    ),
  )

// Returns true if groups can be sorted by a measure: of an amount only by its USD and its whole
// tokens.
const isSortKey = ({ of }: Measure) => !of || of.part === 'usd' || of.part === 'value'

/** Adds sums, counts and averages over positions, snapshots and rewards. */
export function addAggregates(builder: Builder): void {
  function add(
    of: { type: string; query: string; rows: string; bound: string; perDate?: number },
    aggregate: Aggregate,
    list: string,
  ) {
    const dimensions = Object.keys(aggregate.groups).join(', ')
    const Order = orderType(
      builder,
      `${of.type}AggregateOrder`,
      `A sort key of groups of ${of.rows}. Nulls come last.`,
      Object.fromEntries(
        Object.entries(aggregate.measures).flatMap(([name, measure]) =>
          isSortKey(measure)
            ? [
                [
                  name,
                  `Sorts by \`${measure.of ? `${measure.of.amount}.${measure.of.part}` : name}\`.`,
                ],
              ]
            : [],
        ),
      ),
    )
    const Row = builder.objectRef<AggregateRow>(`${of.type}Aggregate`).implement({
      description: `A group of ${of.rows} and its totals.`,
      fields: (t) => ({
        key: t.field({
          type: 'GroupKey',
          description: 'The values that the rows of the group share.',
          resolve: (row) => row as Key,
        }),
        ...Object.fromEntries(
          Object.entries(aggregate.measures).flatMap(
            ([name, { type, description, nullable = false, of }]) =>
              of
                ? []
                : [
                    [
                      name,
                      t.field({
                        type: MEASURES[type],
                        description,
                        nullable,
                        resolve: (row) => (row[name] ?? null) as never,
                      }),
                    ] as const,
                  ],
          ),
        ),
        ...Object.fromEntries(
          [...amountsOf(aggregate.measures)].map(([name, description]) => {
            const part = (row: AggregateRow, of: string) =>
              (row[partName(name, of)] ?? null) as never
            return [
              name,
              t.field({
                type: 'TokenAmount',
                extensions: { cost: { weight: 0 } satisfies FieldCost },
                description,
                resolve: (row) => ({
                  raw: part(row, 'raw'),
                  usd: part(row, 'usd'),
                  value: part(row, 'value'),
                  decimals: part(row, 'decimals'),
                }),
              }),
            ]
          }),
        ),
      }),
    })

    builder.queryField(of.query, (t) =>
      t.field({
        type: [Row],
        extensions: {
          cost: { weight: aggregatedCost(of.perDate) },
          unplanned:
            'Its statement depends on which measures are selected, and its groups are objects ' +
            'by name.',
        },
        description: `Counts, sums and averages of ${of.rows}, by group. ${of.bound}`,
        args: {
          where: t.arg({
            type: filterOf(list),
            required: true,
            description: `Only ${of.rows} that match this filter.`,
          }),
          groupBy: t.arg({
            type: [GROUP_BY],
            required: true,
            defaultValue: [],
            description: `Of ${dimensions}. Empty: one group.`,
          }),
          orderBy: t.arg({
            type: [Order],
            required: true,
            defaultValue: [],
            description: 'The measures to sort groups by, by priority, then by group key.',
          }),
          orderDirection: directionArgument(t.arg),
          first: t.arg.int({
            defaultValue: 100,
            required: true,
            description: `The number of groups to return, 0 to ${MAX_GROUPS}.`,
          }),
          offset: t.arg.int({
            defaultValue: 0,
            required: true,
            description: `Number of groups to skip, 0 to ${MAX_OFFSET}.`,
          }),
        },
        resolve: (
          _,
          { where, groupBy, orderBy, orderDirection, first, offset },
          { reader },
          info,
        ) => {
          if (first < 0 || first > MAX_GROUPS)
            throw badArgument('first', `must be from 0 to ${MAX_GROUPS}`)
          if (offset < 0 || offset > MAX_OFFSET)
            throw badArgument('offset', `must be from 0 to ${MAX_OFFSET}`)
          const groups = [...new Set(groupBy)]
          if (!groups.every((group) => group in aggregate.groups))
            throw badArgument('groupBy', `must be of ${dimensions}`)
          if (groups.filter((group) => TIMES.includes(group)).length > 1)
            throw badArgument('groupBy', `must hold at most one of ${TIMES.join(', ')}`)
          return aggregated(reader, aggregate, {
            where,
            groupBy: groups,
            orderBy: sortBy({ orderBy, orderDirection }),
            first,
            offset,
            wanted: selectedNames(info),
          })
        },
      }),
    )
  }

  add(
    {
      type: 'Position',
      query: 'positionAggregates',
      rows: 'positions',
      bound:
        `At its top level, \`where\` must name users (at most ${MAX_AGGREGATE_USERS}), or at ` +
        `most 31 dates, or pools and at most 366 dates: pools times dates. With \`assets\` at ` +
        'its top level, only the sides in these tokens count.',
    },
    positionAggregate,
    'Position',
  )
  add(
    {
      type: 'Snapshot',
      query: 'snapshotAggregates',
      rows: 'snapshots',
      bound:
        `At its top level, \`where\` must name users (at most ${MAX_AGGREGATE_USERS}), a ` +
        '`time` of at most 7 dates, or entities and a `time` of at most 366 dates: entities ' +
        'times dates.',
    },
    snapshotAggregate,
    'Snapshot',
  )
  add(
    {
      type: 'LiquidationReward',
      query: 'liquidationRewardAggregates',
      rows: 'liquidation rewards',
      perDate: 10,
      bound:
        `At its top level, \`where\` must name users (at most ${MAX_AGGREGATE_USERS}), or a ` +
        `\`time\` of at most 366 dates.`,
    },
    rewardAggregate,
    'LiquidationReward',
  )
}
