import {
  type GraphQLField,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
} from 'graphql'
import { DEFAULT_PAGE, MAX_OFFSET, MAX_PAGE } from 'pothos-sql/host'

export type SchemaField = GraphQLField<unknown, unknown>

/** Unvalidated arguments of a field: enums by name, scalars as JSON. */
export type Given = Readonly<Record<string, unknown>>

export type Charge = (args: Given) => number

/** The cost of a field in its `extensions.cost`, where it differs from that of its kind. */
export interface FieldCost {
  /** The cost of its statement: charged once for each place in the operation. */
  once?: number
  /**
   * The cost of the field itself, for each row of its parent. `count` means the parent's cost of
   * counting.
   */
  weight?: number | Charge | 'count'
  skipped?: number
  /** The additional cost for each row of the parent's page. */
  perRow?: number | Charge
  /**
   * The number of rows of its list, each of which costs `each` plus its selection. `page` means the
   * parent's page size. Defaults to its own page size, or to the length of its required list
   * argument.
   */
  rows?: number | 'page' | Charge
  /** The cost of a row. Defaults to 1. */
  each?: number
  /** The maximum number of rows on its page, if that is below the general maximum. */
  most?: number
  /** The number of rows of `page` lists below it, if that is not its own page size. */
  page?: Charge
  /** The cost of counting the rows of the list. Defaults to 10. */
  count?: Charge
}

/** The cost of counting the rows of a list. */
export const COUNT = 10
const PAST = { once: 100, weight: 10 }
const CONDITION = 1
// Skipped rows are read too.
const SKIPPED = 0.5
const MOST_SKIPPED = 1e9
const MOMENTS = ['asOf', 'at', 'since', 'from']

/**
 * The cost of a field by how it is read: once for its place in the operation, and for each row of
 * its parent. `npm run bench -- charges` compares these figures with CPU time.
 */
export const KINDS = {
  /** A column of the row. */
  stored: { once: 0, weight: 0 },
  /** A value that a resolver computes. */
  resolved: { once: 0, weight: 1 },
  /** A value of another row. */
  value: { once: 50, weight: 2 },
  /** A row by its key. */
  object: { once: 30, weight: 1 },
  /** A row that a resolver loads. */
  loaded: { once: 50, weight: 5 },
  /** Rows of the row. */
  list: { once: 100, weight: 1 },
}

// The parts of a field's SQL that costs depend on (see `SqlField` of pothos-sql).
interface DeclaredSql {
  kind: string
  of?: unknown
  past?: unknown
}

/** How a field is read. */
export function kindOf({ type, extensions }: SchemaField): keyof typeof KINDS {
  const sqlField = extensions.sqlField as DeclaredSql | undefined
  switch (sqlField?.kind) {
    case undefined:
      break
    case 'column':
      return sqlField.of ? 'value' : 'stored'
    case 'sql':
    case 'json':
    case 'embedded':
      return 'stored'
    case 'lookup':
    case 'firstOf':
      return 'object'
    default:
      return 'list'
  }
  if (!isCompositeType(getNamedType(type)))
    return extensions.pothosExposedField === undefined ? 'resolved' : 'stored'
  // Without a reason to have no plan, it is made from its parent.
  if (extensions.unplanned === undefined) return 'stored'
  return isListType(getNullableType(type)) ? 'list' : 'loaded'
}

/** The cost of a field's place in the operation, with the moments that its arguments name. */
export function onceCharge(field: SchemaField, once: number, isSent: IsSent): number | Charge {
  if (!MOMENTS.some(isSent)) return once
  return (args) => once + PAST.once * momentsIn(field, args)
}

/** The cost of a field itself, with its moments, its filter and the rows that it skips. */
export function weightCharge(
  field: SchemaField,
  { skipped = SKIPPED }: FieldCost,
  weight: number | Charge,
  isSent: IsSent,
): number | Charge {
  if (typeof weight === 'number' && !['offset', 'where', ...MOMENTS].some(isSent)) return weight
  return (args) =>
    (typeof weight === 'number' ? weight : weight(args)) +
    PAST.weight * momentsIn(field, args) +
    CONDITION * valuesIn(args.where) +
    skipped * skippedRows(args.offset)
}

type IsSent = (name: string) => boolean

/** The size of a page, or the nearest valid one: the list itself rejects one that is too large. */
export function pageSize({ first, last }: Given, most: number = MAX_PAGE): number {
  const size = [last, first].find((one) => typeof one === 'number') ?? DEFAULT_PAGE
  return Math.min(Math.max(size, 0), most)
}

function momentsIn({ args: declared, extensions }: SchemaField, args: Given): number {
  const past = (extensions.sqlField as DeclaredSql | undefined)?.past
  const isRange = !past && declared.some(({ name }) => name === 'to')
  return isRange ? 0 : MOMENTS.filter((name) => (args[name] ?? null) !== null).length
}

// How many rows an `offset` skips: 0 if it is not valid, since the list rejects it.
function skippedRows(offset: unknown): number {
  const isExact = typeof offset === 'string' && /^\d{1,100}$/.test(offset)
  // A literal number is rounded.
  if (isExact && BigInt(offset) > MAX_OFFSET) return 0
  const rows = isExact || typeof offset === 'number' ? Number(offset) : 0
  return rows > 0 && rows <= Number(MAX_OFFSET) ? Math.min(rows, MOST_SKIPPED) : 0
}

function valuesIn(filter: unknown): number {
  if (filter === undefined || filter === null) return 0
  if (typeof filter !== 'object') return 1
  return Object.values(filter).reduce((sum: number, one) => sum + valuesIn(one), 0)
}
