import type { SqlContext } from '../batches.ts'
import type { ColumnSql } from '../lists/column.ts'
import type { ArgBuilder, Arguments, HostTypes, HostValue } from './builder.ts'
import type { Lookup, LookupKey } from './lookup.ts'
import { listArguments } from './page-arguments.ts'
import { type AssertArguments, declare, type Extensions, type SqlField } from './sql-field.ts'
import { resolvedList, type SqlList } from './sql-list.ts'

const PAST = ['asOf']

interface Past<Row> {
  /** Read instead if the argument `asOf` has a value: its key is that of the row, and `asOf`. */
  past?: Lookup<Row>
}

interface LookupOptions extends Past<HostValue> {
  assert?: AssertArguments
}

/**
 * Declares a field that is a row of another kind. It is null if a value of its key is null, unless
 * the kind has rows for such keys.
 * @param by the fields of the parent row, or the arguments, whose values are the key
 */
export function lookup<Row>(
  kind: Lookup<Row>,
  by: readonly string[],
  extensions: Extensions = {},
  { assert, past }: LookupOptions = {},
) {
  const byPast = [...by, ...PAST]
  return {
    ...declare(
      {
        kind: 'lookup',
        lookup: kind,
        by,
        ...(assert && { assert }),
        ...(past && { past: { kind: 'lookup', lookup: past, by: byPast, given: PAST } }),
      },
      extensions,
    ),
    resolve: (row: HostValue, args: HostValue, context: SqlContext): HostValue => {
      assert?.(args)
      return past && args.asOf
        ? rowAt(past, keyOf(row, args, byPast), context)
        : rowAt(kind, keyOf(row, args, by, kind.read), context)
    },
  }
}

function rowAt(kind: Lookup, key: LookupKey, { batches }: SqlContext): HostValue {
  if (!kind.nullable && key.includes(null)) return null
  return kind.stub ? kind.stub(key) : batches.load(kind.load, key)
}

const keyOf = (
  row: HostValue,
  args: Arguments,
  by: readonly string[],
  read = (value: unknown) => value,
): LookupKey => by.map((name) => row?.[name] ?? read(args[name]) ?? null)

/**
 * Declares a field of an interface: a row of one of several kinds. It is null if none of them has a
 * row.
 * @param kinds by type, each with the fields of the parent row whose values are its key
 */
export function firstOf(kinds: Record<string, { kind: Lookup; by: string[] }>) {
  const types = Object.fromEntries(
    Object.entries(kinds).map(([name, { kind, by }]) => [name, { lookup: kind, by }]),
  )
  return {
    ...declare({ kind: 'firstOf', types }),
    resolve: async (row: HostValue, _: unknown, context: SqlContext): Promise<HostValue> => {
      for (const { kind, by } of Object.values(kinds)) {
        const loaded = await rowAt(kind, keyOf(row, {}, by), context)
        if (loaded) return loaded
      }
      return null
    },
  }
}

/**
 * Declares a field that is a column of its row. If only the row's key `by` is loaded, the resolver
 * loads the row.
 */
export function column<Row>(
  kind: Lookup<Row>,
  name: keyof Row & string,
  by: readonly string[],
  { past }: Past<HostValue> = {},
) {
  const byPast = [...by, ...PAST]
  return {
    ...declare({
      kind: 'column',
      column: name,
      without: { lookup: kind, by },
      ...(past && {
        past: { kind: 'column', column: name, of: { lookup: past, by: byPast }, given: PAST },
      }),
    }),
    resolve: async (row: HostValue, args: HostValue, context: SqlContext): Promise<HostValue> => {
      if (past && args.asOf) return (await rowAt(past, keyOf(row, args, byPast), context))?.[name]
      const loaded = name in row ? row : await context.batches.load(kind.load, keyOf(row, {}, by))
      return loaded?.[name]
    },
  }
}

/**
 * Declares a field that is a column of a row of another kind.
 * @param by the fields of the parent row, or the arguments, whose values are the key
 */
export const lookupColumn = <Row>(
  kind: Lookup<Row>,
  name: keyof Row & string,
  by: readonly string[],
  extensions: Extensions = {},
) => ({
  ...declare({ kind: 'column', column: name, of: { lookup: kind, by } }, extensions),
  resolve: async (row: HostValue, args: HostValue, context: SqlContext): Promise<HostValue> =>
    (await rowAt(kind, keyOf(row, args, by), context))?.[name],
})

/**
 * Declares an object built from columns of its row, by field. Null stands for an unknown value.
 * @param presence the column that is null if the object is
 */
export const embedded = (
  columns: Record<string, string | null>,
  extensions: Extensions = {},
  presence?: string,
) => ({
  ...declare(
    { kind: 'embedded', columns, ...(presence !== undefined && { presence }) },
    extensions,
  ),
  resolve: (row: HostValue): HostValue => {
    if (presence !== undefined && (row[presence] ?? null) === null) return null
    return Object.fromEntries(
      Object.entries(columns).map(([field, name]) => [field, name === null ? null : row[name]]),
    )
  },
})

interface ListField {
  args?: object
  extensions?: Extensions
}

/**
 * Declares a list: its type, its arguments, its SQL and its resolver. It is a connection if it has
 * a listing, or a plain list of few rows.
 * @param arg the builder of the field's arguments
 * @param name the type of its rows. `listTypes` has added the types of a connection
 * @param options its rows, the field's `extensions` and, besides those for pages, the filter and
 * the order, its `args`. With `extensions.unplanned`, the reason that it has no plan, it has its
 * resolver alone
 */
export function list(
  arg: ArgBuilder<HostTypes>,
  name: string,
  { args, extensions = {}, ...described }: SqlList & ListField,
) {
  const complete = resolvedList(described)
  return {
    type: (described.listing ? `${name}Connection` : [name]) as HostTypes,
    args: { ...(described.listing && listArguments(arg, name)), ...args } as HostTypes,
    ...('unplanned' in extensions
      ? { extensions }
      : declare({ kind: 'list', list: complete.list }, extensions)),
    resolve: complete.resolve,
  }
}

/**
 * Returns the options of a type's global `id` field. The callback builds the SQL of the id within
 * the type.
 */
export const nodeId = (type: string, id: (column: ColumnSql) => string) =>
  declare({
    kind: 'sql',
    type: 'text',
    // Postgres inserts line breaks into base64.
    sql: (column) =>
      `translate(encode(convert_to('${type}:' || ${id(column)}, 'UTF8'), 'base64'), E'\\n', '')`,
  } satisfies SqlField)
