import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { badArgument } from '../errors.ts'

/** A list of the graph that can be read whole. */
export interface List {
  name: string
  field: GraphQLField<unknown, unknown>
  /** The type of its rows. */
  type: GraphQLObjectType
}

type Field = GraphQLField<unknown, unknown>

const MAX_COLUMNS = 100
const MAX_NAMED = 60
// Values without an id, such as amounts, are taken apart at most this deep.
const MAX_DEPTH = 3
// Fields that only the REST API reads.
const REST_ONLY = 'For the REST API'
// A linked record is named by these values.
const NAMES = ['recordId', 'address', 'symbol', 'displayName']
// The columns that say what a row is about, which come first.
const KEYS = [
  ...['rank', 'date', 'time', 'recordId', 'address', 'user.address', 'poolAddress'],
  ...['pool.displayName', 'displayName', 'symbol', 'name', 'kind', 'chainId'],
]

/** The lists of a type that have cursors, by name: those of the root, or of an account. */
export function listsOf(owner: GraphQLObjectType | null | undefined): Map<string, List> {
  const lists = new Map<string, List>()
  for (const field of Object.values(owner?.getFields() ?? {})) {
    const connection = getNamedType(field.type)
    const nodes = isObjectType(connection) ? connection.getFields().nodes : undefined
    const type = nodes && getNamedType(nodes.type)
    if (isObjectType(type) && field.args.some(({ name }) => name === 'after'))
      lists.set(field.name, { name: field.name, field, type })
  }
  return lists
}

const isFree = ({ args, deprecationReason }: Field) =>
  !args.some(isRequiredArgument) && deprecationReason === undefined

const isList = (type: GraphQLOutputType) => isListType(getNullableType(type))

const fieldsOf = (type: GraphQLOutputType): Record<string, Field> => {
  const named = getNamedType(type)
  const fields = isObjectType(named) || isInterfaceType(named) ? named.getFields() : {}
  const shown = Object.entries(fields).filter(
    ([, { description }]) => !description?.startsWith(REST_ONLY),
  )
  return Object.fromEntries(shown)
}

/**
 * The columns of a list by default: first those that say what a row is about, then its other values
 * but its id, the names of what it links to, and the values of what has no id and is not computed
 * for arguments, such as amounts.
 */
export function defaultColumns(type: GraphQLOutputType): string[] {
  const columns = columnsOf(type, 0)
  return [
    ...KEYS.filter((key) => columns.includes(key)),
    ...columns.filter((column) => !KEYS.includes(column)),
  ]
}

function columnsOf(type: GraphQLOutputType, depth: number): string[] {
  const fields = fieldsOf(type)
  return Object.values(fields).flatMap((field) => {
    const { name, args } = field
    if (!isFree(field) || isList(field.type) || name === 'id') return []
    if (isLeafType(getNamedType(field.type))) return [name]
    if (args.length > 0 || depth === MAX_DEPTH) return []
    const inner = fieldsOf(field.type)
    if (!inner.id) return columnsOf(field.type, depth + 1).map((column) => `${name}.${column}`)
    const names = NAMES.filter((key) => key !== 'address' || !fields[`${name}Address`])
    return names.flatMap((key) => (inner[key] ? `${name}.${key}` : []))
  })
}

/** Reads `fields`: the paths of columns, separated by commas. @throws BAD_INPUT */
export function readColumns(type: GraphQLObjectType, text: string): string[] {
  const columns = [...new Set(text.split(',').map((one) => one.trim()))]
  if (columns.length > MAX_COLUMNS)
    throw badArgument('fields', `must name at most ${MAX_COLUMNS} columns`)
  for (const column of columns) assertColumn(type, column)
  return columns
}

function assertColumn(type: GraphQLObjectType, column: string): void {
  let at: GraphQLOutputType = type
  for (const key of column.split('.')) {
    const fields = fieldsOf(at)
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    const isReadable = field && !field.args.some(isRequiredArgument)
    if (!isReadable || (isList(field.type) && !isLeafType(getNamedType(field.type))))
      throw badArgument(
        'fields',
        `has no column ${column.slice(0, MAX_NAMED)}: ${getNamedType(at)} has ` +
          Object.values(fields).filter(isFree).map(shownPath).join(', '),
      )
    at = field.type
  }
  if (isLeafType(getNamedType(at))) return
  const shown = column.slice(0, MAX_NAMED)
  const inner = Object.values(fieldsOf(at)).filter(({ type }) => isLeafType(getNamedType(type)))
  throw badArgument(
    'fields',
    `must name a value of ${shown}, such as ${shown}.${inner[0]?.name ?? 'id'}`,
  )
}

/** The name of the type of a column's values in the graph. Undefined if they are lists. */
export function typeOfColumn(type: GraphQLObjectType, column: string): string | undefined {
  let at: GraphQLOutputType | undefined = type
  for (const key of column.split('.')) at = at && fieldsOf(at)[key]?.type
  return at === undefined || isList(at) ? undefined : getNamedType(at).name
}

const shownPath = ({ name, type }: Field) => (isLeafType(getNamedType(type)) ? name : `${name}.…`)
