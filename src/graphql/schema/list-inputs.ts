import { createHash } from 'node:crypto'
import type { InputRef } from '@pothos/core'
import type { Choices } from '../../db/lists/choices.ts'
import {
  type Condition,
  type Conditions,
  MAX_CONDITIONS,
  MAX_NESTING,
  readWhere,
  type Where,
} from '../../db/lists/filter.ts'
import type { Filter, Listing } from '../../db/lists/listing.ts'
import { isOwnOrder, type SortBy, type SortKeys, sorted } from '../../db/lists/sort.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Builder } from './builder.ts'

/** What a list's arguments chose. */
export interface Choice<Row> {
  listing: Listing<Row>
  filter(own: Filter): Filter
  /** Whether it has a filter beside its own arguments. */
  filters: boolean
  /** Whether its order is another than the list's own from either end. */
  sorts: boolean
}

/**
 * A list as its arguments `where` and `orderBy` ask for it. Its cursors are bound to both; without them it is as it was.
 * @throws BAD_INPUT
 */
export function choose<Row>(choices: Choices, own: Listing<Row>, args: Record<string, unknown>): Choice<Row> {
  const { where, branches, text } = readWhere(choices.conditions, args.where as Where | null)
  const by = (args.orderBy ?? []) as SortBy[]
  const ordered = by.length > 0 ? sorted(own, choices.keys, by) : own
  const sorts = by.length > 0 && !isOwnOrder(own, ordered)
  return {
    listing: { ...ordered, name: boundName(own.name, text, by) },
    filters: text !== '',
    sorts,
    filter(theirs) {
      if (text === '') return theirs
      const all = [...theirs.where, ...where]
      if (!branches) return { ...theirs, where: all }
      // Alternatives serve the list's own order, of one filter.
      if (sorts || theirs.branches)
        return { ...theirs, where: [...all, Prisma.sql`(${Prisma.join(branches, ' OR ')})`] }
      return { where: all, branches }
    },
  }
}

/** The name of a list for its cursors, bound to its filter and order; without them its own. */
export function boundName(name: string, where: string, by: SortBy[]): string {
  if (where === '' && by.length === 0) return name
  const digest = createHash('sha256')
    .update(JSON.stringify([where, by.map(({ field, direction }) => [field, direction])]))
    .digest('hex')
    .slice(0, 8)
  return `${name}#${digest}`
}

/** Which way lists and groups are sorted. */
export const addSortDirection = (builder: Builder) =>
  builder.enumType('SortDirection', {
    description: 'Which way a list is sorted.',
    values: {
      ASC: { description: 'Smallest, earliest, or lowest of its characters first.' },
      DESC: { description: 'Largest, latest, or highest of its characters first.' },
    } as const,
  })

export type SortDirectionRef = ReturnType<typeof addSortDirection>

type Enums = Record<string, object>

/** The input types that every list's filter and order are made of. */
export function addChoiceTypes(builder: Builder, { SortDirection }: { SortDirection: SortDirectionRef }) {
  const bounds = (name: string, type: 'DateTime' | 'BigInt' | 'Float' | 'Int', what: string, exact?: string) =>
    builder.inputType(name, {
      description: `Bounds of ${what}. All that are given hold; what is null is as if left out. A value that is null is within no bounds.`,
      fields: (t) => {
        const bound = (description: string) => t.field({ type: type as 'Float', description })
        return {
          ...(exact !== undefined && {
            eq: bound(`Equal to this${exact}.`),
            in: t.field({ type: [type as 'Float'], description: `Equal to one of these${exact}, at most 1000.` }),
          }),
          gt: bound('More, or later, than this.'),
          gte: bound('This, or more or later.'),
          lt: bound('Less, or earlier, than this.'),
          lte: bound('This, or less or earlier.'),
        }
      },
    })
  const ranges = {
    date: bounds(
      'DateRange',
      'DateTime',
      'a distribution date, which is midnight UTC',
      ': the UTC date of the moment counts',
    ),
    moment: bounds('MomentRange', 'DateTime', 'a moment'),
    timestamp: bounds('TimestampRange', 'BigInt', 'a moment in Unix seconds', ''),
    number: bounds('NumberRange', 'Float', 'a number: finite, in the unit of the value'),
    int: bounds('IntRange', 'Int', 'an integer', ''),
  }
  function filterType(name: string, conditions: Conditions, enums: Enums): InputRef<Where> {
    const ref = builder.inputRef<Where>(`${name}Filter`)
    return ref.implement({
      description: `Which rows of a list of ${name}: all that is given holds, and what is null is as if left out. At most ${MAX_CONDITIONS} conditions, nested at most ${MAX_NESTING} deep.`,
      fields: (t) => ({
        ...Object.fromEntries(
          Object.entries(conditions).map(([field, condition]) => [
            field,
            t.field({ type: inputTypeOf(field, condition, enums) as 'String', description: condition.description }),
          ]),
        ),
        AND: t.field({ type: [ref], description: 'All of these hold. Of none: always.' }),
        OR: t.field({ type: [ref], description: 'At least one of these holds. Of none: never.' }),
        NOT: t.field({ type: ref, description: 'This does not hold.' }),
      }),
    }) as InputRef<Where>
  }

  function inputTypeOf(name: string, { kind, type }: Condition, enums: Enums): unknown {
    if (kind === 'flag') return 'Boolean'
    if (kind === 'range') return ranges[type as keyof typeof ranges]
    const value = enums[name] ?? SCALARS[type as keyof typeof SCALARS]
    return kind === 'many' ? [value] : value
  }

  function orderType(name: string, keys: SortKeys): InputRef<SortBy> {
    const Field = builder.enumType(`${name}OrderField`, {
      description: `What a list of ${name} can be sorted by.`,
      values: Object.fromEntries(
        Object.entries(keys).map(([key, { description, nullable }]) => [
          key,
          { description: nullable ? `${description} Null comes last, whichever the direction.` : description },
        ]),
      ),
    })
    return builder.inputType(`${name}Order`, {
      description: `One key that a list of ${name} is sorted by. Rows that are equal in all keys are in the list's own order, which is reversed where the first key is its own first one the other way round.`,
      fields: (t) => ({
        field: t.field({ type: Field, required: true, description: 'What it is sorted by.' }),
        direction: t.field({ type: SortDirection, required: true, defaultValue: 'ASC', description: 'Which way.' }),
      }),
    }) as unknown as InputRef<SortBy>
  }

  /** The types of a list's arguments `where` and `orderBy`. `enums`: the conditions that take one. */
  return <Own extends Choices>(name: string, choices: Own, enums: Enums = {}) => ({
    choices: choices as Choices,
    Filter: filterType(name, choices.conditions, enums),
    Order: orderType(name, choices.keys),
  })
}

const SCALARS = {
  address: 'Address',
  text: 'String',
  bigint: 'SafeInt',
  date: 'DateTime',
  timestamp: 'BigInt',
} as const

export type ChoiceTypes = ReturnType<typeof addChoiceTypes>
/** The types of a list's arguments `where` and `orderBy`, and what they choose from. */
export type Chosen = ReturnType<ChoiceTypes>
