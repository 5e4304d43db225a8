import { createHash } from 'node:crypto'
import type { InputRef } from '@pothos/core'
import {
  type Condition,
  type Conditions,
  MAX_CONDITIONS,
  MAX_NESTING,
  readWhere,
  type Where,
} from '../lists/filter.ts'
import type { Filter, Listing } from '../lists/listing.ts'
import { isOwnOrder, type SortBy, sortBy, sorted } from '../lists/sort.ts'
import type { SortKeys } from '../lists/sort-key.ts'
import type { Builder } from './builder.ts'
import { SCALARS } from './scalar-names.ts'

/** A list with a client's `where` and `orderBy` applied. */
export interface Applied<Row> {
  listing: Listing<Row>
  filter(own: Filter): Filter
  /** True if `where` adds a filter. */
  filters: boolean
  /** True if the order differs from the default order and its reverse. */
  sorts: boolean
}

/**
 * Applies the arguments `where` and `orderBy` to a list. Cursors are bound to both.
 * @throws BAD_INPUT
 */
export function applyListInputs<Row>(
  listing: Listing<Row>,
  args: Record<string, unknown>,
): Applied<Row> {
  const { where, set, filters, text } = readWhere(listing.filters, args.where as Where | null)
  const by = sortBy(args)
  const ordered = by.length > 0 ? sorted(listing, by) : listing
  const sorts = by.length > 0 && !isOwnOrder(listing, ordered)
  return {
    listing: {
      ...ordered,
      // Only cursors need it.
      get name() {
        return boundName(listing.name, text(), by)
      },
    },
    filters,
    sorts,
    filter(theirs) {
      if (!filters) return theirs
      const all = [...theirs.where, ...where]
      if (!set) return { ...theirs, where: all }
      // The index of a set has its rows in the default order.
      return sorts ? { ...theirs, where: [...all, set.matches] } : { ...theirs, where: all, set }
    },
  }
}

/** The name that a list's cursors carry: with a filter or an order, it ends in a digest of both. */
export function boundName(name: string, where: string, by: SortBy[]): string {
  if (where === '' && by.length === 0) return name
  const digest = createHash('sha256')
    .update(JSON.stringify([where, by.map(({ field, direction }) => [field, direction])]))
    .digest('hex')
    .slice(0, 8)
  return `${name}#${digest}`
}

/** The name of an enum value, such as SUM_POINTS for sumPoints. */
export const constant = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()

export const orderType = (
  builder: Builder,
  name: string,
  description: string,
  keys: Record<string, string>,
) =>
  builder.enumType(name, {
    description,
    values: Object.fromEntries(
      Object.entries(keys).map(([value, description]) => [constant(value), { value, description }]),
    ),
  })

type Enums = Record<string, string>

const withSharedTypes = new WeakSet<Builder>()

/**
 * Adds the types that all lists share, unless the schema has them. `listTypes` calls it.
 * @param unit says in the schema to which unit a moment is compared
 */
export function addListInputTypes(builder: Builder, unit = ''): void {
  if (withSharedTypes.has(builder)) return
  withSharedTypes.add(builder)
  builder.enumType('OrderDirection', {
    description: 'The direction of a sort key.',
    values: {
      ASC: { description: 'The smallest or earliest first.' },
      DESC: { description: 'The largest or latest first.' },
    },
  })
  const bounds = (type: 'Date' | 'DateTime' | 'Float' | 'Int', what: string, exact?: string) =>
    builder.inputType(`${type}Range`, {
      description:
        `A range of ${what}. A value must satisfy all given bounds; a null bound is ignored. ` +
        'Rows whose value is null never match a range.',
      fields: (t) => {
        const bound = (description: string) => t.field({ type: type as 'Float', description })
        return {
          ...(exact !== undefined && {
            eq: bound(`Equal to this value${exact}.`),
            in: t.field({
              type: [type as 'Float'],
              description: `Equal to one of these values${exact}, at most 1000.`,
            }),
          }),
          gt: bound('Greater or later than this value.'),
          gte: bound('Greater or later than this value, or equal to it.'),
          lt: bound('Less or earlier than this value.'),
          lte: bound('Less or earlier than this value, or equal to it.'),
        }
      },
    })
  bounds('DateTime', 'points in time', unit)
  bounds('Date', 'dates', '')
  bounds('Float', 'finite numbers, in the unit of the value')
  bounds('Int', 'integers', '')
}

const RANGES = {
  date: 'DateRange',
  moment: 'DateTimeRange',
  timestamp: 'DateTimeRange',
  float: 'FloatRange',
  int: 'IntRange',
}

/**
 * Adds the input types of a list's `where` and `orderBy`. `enums` has the names of enum types by
 * filter.
 */
export function addListInputs(
  builder: Builder,
  name: string,
  { filters, sortKeys }: Pick<Listing<never>, 'filters' | 'sortKeys'>,
  enums: Enums,
): void {
  addListInputTypes(builder)
  addFilter(builder, name, filters, enums)
  addOrder(builder, name, sortKeys)
}

export const filterOf = (name: string) => `${name}Filter` as never as InputRef<Where>
/** The enum of a list's sort keys, by the list's name. */
export const orderOf = (name: string) => `${name}Order` as never as InputRef<string>

function addFilter(builder: Builder, name: string, conditions: Conditions, enums: Enums): void {
  const ref = builder.inputRef<Where>(`${name}Filter`)
  ref.implement({
    description: `A filter of ${name} rows, which match all of its conditions.`,
    fields: (t) => ({
      ...Object.fromEntries(
        Object.entries(conditions).map(([field, condition]) => [
          field,
          t.field({
            type: inputTypeOf(field, condition, enums) as 'String',
            description: condition.description,
          }),
        ]),
      ),
      AND: t.field({
        type: [ref],
        description:
          `All of these filters match: at most ${MAX_CONDITIONS} conditions, ` +
          `${MAX_NESTING} deep.`,
      }),
      OR: t.field({
        type: [ref],
        description: 'One of these filters matches. An empty list never matches.',
      }),
      NOT: t.field({ type: ref, description: 'This filter does not match.' }),
    }),
  })
}

function inputTypeOf(name: string, { kind, type }: Condition, enums: Enums): unknown {
  if (kind === 'flag') return 'Boolean'
  if (kind === 'range') return RANGES[type as keyof typeof RANGES]
  return [enums[name] ?? SCALARS[type]]
}

const addOrder = (builder: Builder, name: string, keys: SortKeys) =>
  orderType(
    builder,
    `${name}Order`,
    `A sort key of ${name} rows. The default order breaks ties.`,
    Object.fromEntries(
      Object.entries(keys).map(([key, { description, nullable }]) => [
        key,
        nullable ? `${description} Nulls come last.` : description,
      ]),
    ),
  )
