import type { InputRef } from '@pothos/core'
import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'
import { type Aggregate, type AggregateRow, aggregated } from '../../../domain/aggregate/aggregate.ts'
import { type Bounds, MAX_AGGREGATE_USERS } from '../../../domain/aggregate/bounds.ts'
import { positionAggregate } from '../../../domain/aggregate/position-aggregate.ts'
import { rewardAggregate } from '../../../domain/aggregate/reward-aggregate.ts'
import { marketSnapshotAggregate, vaultSnapshotAggregate } from '../../../domain/aggregate/snapshot-aggregate.ts'
import { GatewayError } from '../../../errors.ts'
import type { Builder, Types } from '../builder.ts'
import type { SortDirectionRef } from '../list-inputs.ts'
import { aggregated as aggregatedCost } from './charges.ts'
import type { GroupKeyRef, Key } from './group-key.ts'

const MAX_GROUPS = 1000
const MAX_OFFSET = 1_000_000

const GROUPS: Record<string, string> = {
  DATE: 'The UTC date.',
  WEEK: 'The week, starting on Monday (UTC).',
  MONTH: 'The calendar month (UTC).',
  POOL: 'The pool.',
  ASSET: 'The token on its chain.',
  MARKET: 'The market. For rewards, the collateral market.',
  VAULT: 'The vault.',
  CHAIN: 'The chain.',
  USER: 'The user.',
}
/** The GraphQL type of each kind of measure. */
const MEASURES = { count: 'Int', float: 'Float', amount: 'BigInt', tokens: 'String' } as const
const TIMES = ['DATE', 'WEEK', 'MONTH']

/** Turns sumPoints into SUM_POINTS. */
const constant = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()

const bad = (name: string, message: string) =>
  new GatewayError('BAD_INPUT', `${name} ${message}.`, [{ in: 'query', name, message }])

/** The names of a field's selected subfields, ignoring @include and @skip. */
function selectedNames({ fieldNodes, fragments }: GraphQLResolveInfo): Set<string> {
  const names = new Set<string>()
  const add = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections)
      if (selection.kind === Kind.FIELD) names.add(selection.name.value)
      else {
        const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection
        if (fragment) add(fragment.selectionSet)
      }
  }
  for (const { selectionSet } of fieldNodes) if (selectionSet) add(selectionSet)
  return names
}

type Refs = { GroupKey: GroupKeyRef; SortDirection: SortDirectionRef }

/** Adds sums, counts and averages over positions, snapshots and rewards. */
export function addAggregates(builder: Builder, { GroupKey, SortDirection }: Refs): void {
  function add(
    of: { type: string; query: string; rows: string; bound: string; perDate?: number },
    aggregate: Aggregate,
    FilterInput: InputRef<Bounds>,
  ) {
    const enumOf = (name: string, description: string, values: Record<string, string>) =>
      builder.enumType(name, {
        description,
        values: Object.fromEntries(
          Object.entries(values).map(([value, meaning]) => [constant(value), { value, description: meaning }]),
        ),
      })
    const Group = enumOf(
      `${of.type}GroupBy`,
      `A dimension to group ${of.rows} by.`,
      Object.fromEntries(Object.keys(aggregate.groups).map((group) => [group, GROUPS[group] ?? ''])),
    )
    const By = enumOf(
      `${of.type}AggregateField`,
      `A measure to sort groups of ${of.rows} by.`,
      Object.fromEntries(Object.entries(aggregate.measures).map(([name, measure]) => [name, measure.description])),
    )
    const OrderBy = builder.inputType(`${of.type}AggregateOrder`, {
      description: `A sort key for groups of ${of.rows} and its direction. Groups whose value is null come last.`,
      fields: (t) => ({
        by: t.field({ type: By, required: true, description: 'The measure to sort by.' }),
        direction: t.field({
          type: SortDirection,
          required: true,
          defaultValue: 'DESC' as const,
          description: 'The sort direction.',
        }),
      }),
    })
    const Row = builder.objectRef<AggregateRow>(`${of.type}Aggregate`).implement({
      description: `A group of ${of.rows} and its totals.`,
      fields: (t) => ({
        key: t.field({
          type: GroupKey,
          description: 'The values that the rows of the group share.',
          resolve: (row) => row as Key,
        }),
        ...Object.fromEntries(
          Object.entries(aggregate.measures).map(([name, { type, description, nullable = false }]) => [
            name,
            t.field({
              type: MEASURES[type],
              description,
              nullable,
              resolve: (row) => (row[name] ?? null) as never,
            }),
          ]),
        ),
      }),
    })

    builder.queryField(of.query, (t) =>
      t.field({
        type: [Row],
        extensions: {
          cost: { weight: aggregatedCost(of.perDate) },
          unplanned: 'Its statement depends on which measures are selected, and its groups are objects by name.',
        },
        description: `Counts, sums and averages of ${of.rows}, by group. ${of.bound}`,
        args: {
          filter: t.arg({ type: FilterInput, required: true, description: `Only ${of.rows} that match this filter.` }),
          groupBy: t.arg({
            type: [Group],
            required: true,
            defaultValue: [],
            description: 'The dimensions to group by. If empty, all rows form one group.',
          }),
          orderBy: t.arg({
            type: [OrderBy],
            required: true,
            defaultValue: [],
            description: 'The measures to sort groups by, in order of priority. Ties are sorted by group key.',
          }),
          first: t.arg.int({
            defaultValue: 100,
            required: true,
            description: `Number of groups to return, 0 to ${MAX_GROUPS}.`,
          }),
          offset: t.arg.int({
            defaultValue: 0,
            required: true,
            description: `Number of groups to skip, 0 to ${MAX_OFFSET}.`,
          }),
        },
        resolve: (_, { filter, groupBy, orderBy, first, offset }, { reader }, info) => {
          if (first < 0 || first > MAX_GROUPS) throw bad('first', `must be from 0 to ${MAX_GROUPS}`)
          if (offset < 0 || offset > MAX_OFFSET) throw bad('offset', `must be from 0 to ${MAX_OFFSET}`)
          const groups = [...new Set(groupBy)]
          if (groups.filter((group) => TIMES.includes(group)).length > 1)
            throw bad('groupBy', `must hold at most one of ${TIMES.join(', ')}`)
          return aggregated(reader, aggregate, {
            filter,
            groupBy: groups,
            orderBy,
            first,
            offset,
            wanted: selectedNames(info),
          })
        },
      }),
    )
  }

  const common = (t: PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>) => ({
    users: t.field({ type: ['Address'], description: `Only rows of these users, at most ${MAX_AGGREGATE_USERS}.` }),
    chainId: t.field({ type: 'SafeInt', description: 'Only rows on this chain.' }),
    from: t.field({ type: 'DateTime', description: 'Only rows on or after this UTC date.' }),
    to: t.field({ type: 'DateTime', description: 'Only rows on or before this UTC date.' }),
  })

  add(
    {
      type: 'Position',
      query: 'positionAggregates',
      rows: 'positions',
      bound:
        'The filter must name users, or a range (from, to) of at most 31 dates, or a pool and a range of at most 366 dates.',
    },
    positionAggregate,
    builder.inputType('PositionAggregateFilter', {
      description: 'A filter for positions. A row must match every given field.',
      fields: (t) => ({
        ...common(t),
        pool: t.field({ type: 'Address', description: 'Only positions in this pool.' }),
        asset: t.field({ type: 'Address', description: 'Only the sides of positions in this token.' }),
      }),
    }),
  )
  for (const [type, kind, aggregate] of [
    ['MarketSnapshot', 'market', marketSnapshotAggregate],
    ['VaultSnapshot', 'vault', vaultSnapshotAggregate],
  ] as const) {
    const Filter = builder.inputType(`${type}AggregateFilter`, {
      description: `A filter for ${kind} snapshots. A row must match every given field.`,
      fields: (t) => {
        const entity = t.field({ type: 'Address', description: `Only snapshots in the ${kind} at this address.` })
        return { ...common(t), ...(kind === 'market' ? { market: entity } : { vault: entity }) }
      },
    })
    add(
      {
        type,
        query: `${kind}SnapshotAggregates`,
        rows: `${kind} snapshots`,
        bound: `The filter must name users, or a ${kind} and a range (from, to) of at most 366 dates.`,
      },
      aggregate,
      Filter,
    )
  }
  add(
    {
      type: 'LiquidationReward',
      query: 'liquidationRewardAggregates',
      rows: 'liquidation rewards',
      perDate: 10,
      bound: 'The filter must name users, or a range (from, to) of at most 366 dates.',
    },
    rewardAggregate,
    builder.inputType('LiquidationRewardAggregateFilter', {
      description:
        'A filter for liquidation rewards. A row must match every given field; given both a market and a vault, it must match one of them.',
      fields: (t) => ({
        ...common(t),
        market: t.field({ type: 'Address', description: 'Only rewards of the collateral market at this address.' }),
        vault: t.field({ type: 'Address', description: 'Only rewards of the vault at this address.' }),
      }),
    }),
  )
}
