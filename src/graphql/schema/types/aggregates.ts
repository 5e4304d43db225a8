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
  WEEK: 'The week, from Monday on, UTC.',
  MONTH: 'The month, UTC.',
  POOL: 'The pool.',
  ASSET: 'The token, on one chain.',
  MARKET: 'The market; of rewards, the market of the collateral.',
  VAULT: 'The vault.',
  CHAIN: 'The chain.',
  USER: 'The user.',
}
const TIMES = ['DATE', 'WEEK', 'MONTH']

/** SUM_POINTS for sumPoints. */
const constant = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()

const bad = (name: string, message: string) =>
  new GatewayError('BAD_INPUT', `${name} ${message}.`, [{ in: 'query', name, message }])

/** The names of the fields that may be selected on what a field gives: @include and @skip are not looked at. */
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

/** Sums, counts and averages over positions, snapshots and rewards. */
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
      `What ${of.rows} are grouped by.`,
      Object.fromEntries(Object.keys(aggregate.groups).map((group) => [group, GROUPS[group] ?? ''])),
    )
    const By = enumOf(
      `${of.type}AggregateField`,
      `A number of a group of ${of.rows}, to sort by.`,
      Object.fromEntries(Object.entries(aggregate.measures).map(([name, measure]) => [name, measure.description])),
    )
    const OrderBy = builder.inputType(`${of.type}AggregateOrder`, {
      description: `How groups of ${of.rows} are sorted: those that have no such number are last.`,
      fields: (t) => ({
        by: t.field({ type: By, required: true, description: 'The number.' }),
        direction: t.field({
          type: SortDirection,
          required: true,
          defaultValue: 'DESC' as const,
          description: 'Which way.',
        }),
      }),
    })
    const Row = builder.objectRef<AggregateRow>(`${of.type}Aggregate`).implement({
      description: `A group of ${of.rows}, and what they add up to.`,
      fields: (t) => ({
        key: t.field({
          type: GroupKey,
          description: 'What they have in common.',
          resolve: (row) => row as Key,
        }),
        ...Object.fromEntries(
          Object.entries(aggregate.measures).map(([name, { type, description, nullable = false }]) => [
            name,
            t.field({
              type: type === 'count' ? 'Int' : type === 'float' ? 'Float' : 'BigInt',
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
        extensions: { cost: { weight: aggregatedCost(of.perDate) } },
        description: `Groups of ${of.rows} with their counts, sums and averages. ${of.bound}`,
        args: {
          filter: t.arg({ type: FilterInput, required: true, description: `Which ${of.rows}.` }),
          groupBy: t.arg({
            type: [Group],
            required: true,
            defaultValue: [],
            description: 'What they are grouped by, together; none: all are one group.',
          }),
          orderBy: t.arg({
            type: [OrderBy],
            required: true,
            defaultValue: [],
            description: 'By which numbers groups are sorted, the first first; equal ones are sorted by their keys.',
          }),
          first: t.arg.int({ defaultValue: 100, required: true, description: `How many, 0 to ${MAX_GROUPS}.` }),
          offset: t.arg.int({
            defaultValue: 0,
            required: true,
            description: `How many to skip, 0 to ${MAX_OFFSET}.`,
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
    users: t.field({ type: ['Address'], description: `Those of these users, at most ${MAX_AGGREGATE_USERS}.` }),
    chainId: t.field({ type: 'SafeInt', description: 'Those of one chain.' }),
    from: t.field({ type: 'DateTime', description: 'From this UTC date on.' }),
    to: t.field({ type: 'DateTime', description: 'Up to this UTC date, included.' }),
  })

  add(
    {
      type: 'Position',
      query: 'positionAggregates',
      rows: 'positions',
      bound:
        'A filter needs users, or from and to at most 31 dates apart, or a pool with from and to at most 366 dates apart.',
    },
    positionAggregate,
    builder.inputType('PositionAggregateFilter', {
      description: 'Which positions: those that match all that is given.',
      fields: (t) => ({
        ...common(t),
        pool: t.field({ type: 'Address', description: 'Those in one pool.' }),
        asset: t.field({ type: 'Address', description: 'The sides of positions that have this token.' }),
      }),
    }),
  )
  for (const [type, kind, aggregate] of [
    ['MarketSnapshot', 'market', marketSnapshotAggregate],
    ['VaultSnapshot', 'vault', vaultSnapshotAggregate],
  ] as const) {
    const Filter = builder.inputType(`${type}AggregateFilter`, {
      description: `Which ${kind} snapshots: those that match all that is given.`,
      fields: (t) => {
        const entity = t.field({ type: 'Address', description: `Those in the ${kind} at this address.` })
        return { ...common(t), ...(kind === 'market' ? { market: entity } : { vault: entity }) }
      },
    })
    add(
      {
        type,
        query: `${kind}SnapshotAggregates`,
        rows: `${kind} snapshots`,
        bound: `A filter needs users, or a ${kind} with from and to at most 366 dates apart.`,
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
      bound: 'A filter needs users, or from and to at most 366 dates apart.',
    },
    rewardAggregate,
    builder.inputType('LiquidationRewardAggregateFilter', {
      description: 'Which liquidation rewards: those that match all that is given; a market and a vault: of either.',
      fields: (t) => ({
        ...common(t),
        market: t.field({ type: 'Address', description: 'Those of the collateral market at this address.' }),
        vault: t.field({ type: 'Address', description: 'Those of the vault at this address.' }),
      }),
    }),
  )
}
