import {
  type GraphQLArgument,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql'
import { readVariables } from 'pothos-sql/host'
import { badArgument, GatewayError } from '../errors.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { Operation } from '../graphql/execution/operation.ts'
import { defaultColumns, type List, readColumns } from './lists.ts'
import { CHUNK, type SelectedColumns } from './rows.ts'

/** A table that a request asks for. */
export interface Table extends SelectedColumns {
  isForSpreadsheet: boolean
  /** The date that its rows are of, as YYYY-MM-DD. Undefined if its arguments name none. */
  date: string | undefined
  /** The run that must have stored them. */
  run: string | undefined
}

// The parameters of every table. A page is not a table.
const OF_TABLES = ['fields', 'first', 'after', 'cursor', 'for', 'run']
const OF_PAGES = ['first', 'after', 'last', 'before', 'offset']
const MAX_TEXT = 60

/** The arguments of a list that filter and order its table. */
export const argumentsOf = ({ field }: List): readonly GraphQLArgument[] =>
  field.args.filter(({ name }) => !OF_PAGES.includes(name))

/** Reads the parameters of a request for a table. @throws BAD_INPUT */
export function readRequest(graph: Graph, list: List, query: Record<string, unknown>): Table {
  const own = argumentsOf(list)
  const known = [...OF_TABLES, ...own.map(({ name }) => name)]
  for (const [name, value] of Object.entries(query)) {
    const shown = name.slice(0, MAX_TEXT)
    if (!known.includes(name))
      throw badArgument(shown, `is not a parameter of ${list.name}: it has ${known.join(', ')}`)
    if (typeof value !== 'string') throw badArgument(shown, 'must be sent once')
  }
  const sent = query as Record<string, string>
  const used = own.filter(({ name }) => sent[name] !== undefined)
  const hasCursors = oneOf(sent, 'cursor', ['true', 'false']) === 'true'
  const columns =
    sent.fields === undefined ? plannedColumns(graph, list) : readColumns(list.type, sent.fields)
  const operation = prepare(graph, documentOf(list, { columns, used, hasCursors }))
  const variables: Record<string, unknown> = Object.fromEntries(
    used.map((argument) => [argument.name, readArgument(argument, sent[argument.name] as string)]),
  )
  if (sent.after !== undefined) variables.after = sent.after
  const unplanned = columns.filter((column) => !isPlanned(graph, list, column))
  if (unplanned.length > 0)
    throw badArgument('fields', `cannot be read as a table: ${unplanned.join(', ')}`)
  assertVariables(graph, operation, variables)
  return {
    columns,
    operation,
    variables,
    first: readFirst(sent.first),
    hasCursors,
    isForSpreadsheet: oneOf(sent, 'for', ['spreadsheet']) !== undefined,
    date: dateOf(variables),
    run: readRun(sent.run, variables),
  }
}

// The variables of a request that its operation accepts.
interface Dated {
  asOf?: string
  scope?: { asOf?: string }
  where?: { date?: { eq?: string | null } | null } | null
}

function dateOf({ asOf, scope, where }: Dated): string | undefined {
  const date = asOf ?? scope?.asOf ?? where?.date?.eq
  return typeof date === 'string' ? date.slice(0, 10) : undefined
}

// Only rows of one date are of one run: a board is of all runs up to its date.
function readRun(text: string | undefined, { where }: Dated): string | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,18}$/.test(text)) throw badArgument('run', 'must be the number of a run')
  if (typeof where?.date?.eq === 'string') return text
  throw badArgument('run', 'needs where={"date":{"eq":"..."}}, the date that the run has stored')
}

function oneOf(sent: Record<string, string>, name: string, words: string[]): string | undefined {
  const text = sent[name]
  if (text === undefined || words.includes(text)) return text
  throw badArgument(name, `must be ${words.join(' or ')}`)
}

function readFirst(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw badArgument('first', 'must be a whole number from 0')
  return Number(text)
}

const NUMBERS = ['Int', 'Float', 'SafeInt']

function readArgument({ name, type }: GraphQLArgument, text: string): unknown {
  const named = getNamedType(type)
  const isJson = isInputObjectType(named) || text.startsWith('[')
  if (isJson)
    try {
      return JSON.parse(text)
    } catch {
      throw badArgument(name, 'must be JSON, as the variable of the same name in the graph')
    }
  const read = (one: string) => (NUMBERS.includes(named.name) ? Number(one) : one)
  return isListType(getNullableType(type)) ? text.split(',').map(read) : read(text)
}

interface Selected {
  columns: string[]
  used: readonly GraphQLArgument[]
  hasCursors: boolean
}

/** The GraphQL of a table: one page of its list. */
function documentOf({ field }: List, { columns, used, hasCursors }: Selected): string {
  const declared = used.map(({ name, type }) => `$${name}: ${type}`)
  const passed = used.map(({ name }) => `${name}: $${name}`)
  const page = [`first: ${CHUNK}`, 'after: $after', ...passed].join(', ')
  const rows = selectionOf(columns.map((column) => column.split('.')))
  const selected = hasCursors ? `edges { cursor node ${rows} }` : `nodes ${rows}`
  const variables = ['$after: String', ...declared].join(', ')
  return `query Table(${variables}) { rows: ${field.name}(${page}) { ${selected} } }`
}

/** The selection of paths of columns. */
export function selectionOf(paths: string[][]): string {
  const byKey = new Map<string, string[][]>()
  for (const [key = '', ...below] of paths)
    byKey.set(key, [...(byKey.get(key) ?? []), ...(below.length > 0 ? [below] : [])])
  const fields = Array.from(byKey, ([key, below]) =>
    below.length > 0 ? `${key} ${selectionOf(below)}` : key,
  )
  return `{ ${fields.join(' ')} }`
}

function prepare(graph: Graph, text: string): Operation {
  try {
    return graph.operations.prepare(text, undefined)
  } catch (error) {
    const [first = error] = error instanceof AggregateError ? error.errors : []
    throw new GatewayError('BAD_INPUT', (first as Error).message)
  }
}

function assertVariables(
  { schema }: Graph,
  { document }: Operation,
  variables: Record<string, unknown>,
): void {
  const [operation] = document.definitions
  const definitions =
    operation?.kind === 'OperationDefinition' ? (operation.variableDefinitions ?? []) : []
  const [error] = readVariables(schema, definitions, variables).errors ?? []
  if (!error) return
  const [, name = ''] = /^Variable "\$(\w+)"/.exec(error.message) ?? []
  throw new GatewayError('BAD_INPUT', error.message, [
    { in: 'query', name, message: error.message },
  ])
}

const planned = new WeakMap<List, Map<string, boolean>>()

// True if a column is read by SQL. Others would be resolved row by row.
function isPlanned(graph: Graph, list: List, column: string): boolean {
  const known = planned.get(list) ?? new Map<string, boolean>()
  planned.set(list, known)
  const isKnown = known.get(column)
  if (isKnown !== undefined) return isKnown
  const text = documentOf(list, { columns: [column], used: [], hasCursors: false })
  const covers = prepare(graph, text).plan.covers({})
  known.set(column, covers)
  return covers
}

/** The columns of a table that names none. */
export const plannedColumns = (graph: Graph, list: List): string[] =>
  defaultColumns(list.type).filter((column) => isPlanned(graph, list, column))
