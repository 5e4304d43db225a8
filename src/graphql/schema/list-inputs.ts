import { createHash } from 'node:crypto'
import type { InputRef } from '@pothos/core'
import {
  type Condition,
  type Conditions,
  MAX_CONDITIONS,
  MAX_NESTING,
  readWhere,
  type Where,
} from '../../db/lists/filter.ts'
import type { Filter, Listing } from '../../db/lists/listing.ts'
import { isOwnOrder, type SortBy, sorted } from '../../db/lists/sort.ts'
import type { SortKeys } from '../../db/lists/sort-key.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Builder } from './builder.ts'
import { SCALARS } from './column-fields.ts'

/** A list with a client's `where` and `orderBy` applied. */
export interface Applied<Row> {
  listing: Listing<Row>
  filter(own: Filter): Filter
  /** Whether `where` adds a filter. */
  filters: boolean
  /** Whether the order differs from the default order and its reverse. */
  sorts: boolean
}

/**
 * Applies the arguments `where` and `orderBy` to a list. Cursors are bound to both.
 * @throws BAD_INPUT
 */
export function applyListInputs<Row>(own: Listing<Row>, args: Record<string, unknown>): Applied<Row> {
  const { where, branches, text } = readWhere(own.filters, args.where as Where | null)
  const by = (args.orderBy ?? []) as SortBy[]
  const ordered = by.length > 0 ? sorted(own, by) : own
  const sorts = by.length > 0 && !isOwnOrder(own, ordered)
  return {
    listing: { ...ordered, name: boundName(own.name, text, by) },
    filters: text !== '',
    sorts,
    filter(theirs) {
      if (text === '') return theirs
      const all = [...theirs.where, ...where]
      if (!branches) return { ...theirs, where: all }
      // Branches only work in the default order and with a single filter.
      if (sorts || theirs.branches)
        return { ...theirs, where: [...all, Prisma.sql`(${Prisma.join(branches, ' OR ')})`] }
      return { where: all, branches }
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

/** Adds the direction of sort keys. */
export const addSortDirection = (builder: Builder) =>
  builder.enumType('SortDirection', {
    description: 'The direction of a sort key.',
    values: {
      ASC: { description: 'Ascending: the smallest or earliest value first, text in code point order.' },
      DESC: { description: 'Descending: the largest or latest value first, text in reverse code point order.' },
    } as const,
  })

export type SortDirectionRef = ReturnType<typeof addSortDirection>

type Enums = Record<string, object>

/** Adds the range inputs, and returns functions that add the filter and order inputs of one list. */
export function addListInputTypes(builder: Builder, { SortDirection }: { SortDirection: SortDirectionRef }) {
  const bounds = (type: 'DateTime' | 'Float' | 'Int', what: string, exact?: string) =>
    builder.inputType(`${type}Range`, {
      description: `A range of ${what}. A value must satisfy all given bounds; a null bound is ignored. Rows whose value is null never match a range.`,
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
  const moments = bounds(
    'DateTime',
    'points in time',
    ', to the unit in which the value is stored: the UTC date of a distribution date, the second of a snapshot or a reward, the millisecond of other times',
  )
  const ranges = {
    date: moments,
    moment: moments,
    timestamp: moments,
    float: bounds('Float', 'finite numbers, in the unit of the value'),
    int: bounds('Int', 'integers', ''),
  }
  function filterType(name: string, conditions: Conditions, enums: Enums = {}): InputRef<Where> {
    const ref = builder.inputRef<Where>(`${name}Filter`)
    return ref.implement({
      description: `A filter for a list of ${name}. A row must match all given conditions; a null condition is ignored. At most ${MAX_CONDITIONS} conditions, nested at most ${MAX_NESTING} deep.`,
      fields: (t) => ({
        ...Object.fromEntries(
          Object.entries(conditions).map(([field, condition]) => [
            field,
            t.field({ type: inputTypeOf(field, condition, enums) as 'String', description: condition.description }),
          ]),
        ),
        AND: t.field({ type: [ref], description: 'All of these filters match. An empty list always matches.' }),
        OR: t.field({
          type: [ref],
          description: 'At least one of these filters matches. An empty list never matches.',
        }),
        NOT: t.field({ type: ref, description: 'This filter does not match.' }),
      }),
    }) as InputRef<Where>
  }

  function inputTypeOf(name: string, { kind, type }: Condition, enums: Enums): unknown {
    if (kind === 'flag') return 'Boolean'
    if (kind === 'range') return ranges[type as keyof typeof ranges]
    const value = enums[name] ?? SCALARS[type]
    return kind === 'many' ? [value] : value
  }

  function orderType(name: string, keys: SortKeys): InputRef<SortBy> {
    const Field = builder.enumType(`${name}OrderField`, {
      description: `A sort key for a list of ${name}.`,
      values: Object.fromEntries(
        Object.entries(keys).map(([key, { description, nullable }]) => [
          key,
          { description: nullable ? `${description} Nulls come last in both directions.` : description },
        ]),
      ),
    })
    return builder.inputType(`${name}Order`, {
      description: `A sort key for a list of ${name} and its direction. Ties fall back to the list's default order. Sorting by the default order's first key in the opposite direction reverses the whole default order.`,
      fields: (t) => ({
        field: t.field({ type: Field, required: true, description: 'The sort key.' }),
        direction: t.field({
          type: SortDirection,
          required: true,
          defaultValue: 'ASC',
          description: 'The sort direction.',
        }),
      }),
    }) as unknown as InputRef<SortBy>
  }

  return {
    filterType,
    /** Adds the input types of a list's `where` and `orderBy`. `enums` has the enum types by filter. */
    listInputs: <Row>(name: string, { filters, sortKeys }: Listing<Row>, enums: Enums = {}) => ({
      Filter: filterType(name, filters, enums),
      Order: orderType(name, sortKeys),
    }),
  }
}

type Inputs = ReturnType<typeof addListInputTypes>
export type FilterType = Inputs['filterType']
export type ListInputTypes = Inputs['listInputs']
/** The input types of a list's `where` and `orderBy`. */
export type ListInputs = ReturnType<ListInputTypes>
