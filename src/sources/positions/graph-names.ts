import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type NameNode,
  type ObjectFieldNode,
  parseType,
  print,
  type ValueNode,
  visit,
} from 'graphql'
import { parseObject } from '../json.ts'

/**
 * Maps our names in `graph-positions.graphql` to those of a GraphQL source. A path descends
 * (`account.id`). An argument may include its type (`timestamp: BigInt!`).
 */
export const defaultNames = {
  positions: 'positions',
  block: 'block',
  totalCount: 'totalCount',
  pageInfo: 'pageInfo',
  hasNextPage: 'hasNextPage',
  endCursor: 'endCursor',
  nodes: 'nodes',
  user: 'user',
  pool: 'pool',
  aSupplied: 'aSupplied',
  aProtected: 'aProtected',
  aBorrowed: 'aBorrowed',
  bSupplied: 'bSupplied',
  bProtected: 'bProtected',
  bBorrowed: 'bBorrowed',
  pools: 'pools',
  time: 'time',
  first: 'first',
  after: 'after',
  limit: 'limit',
  offset: 'offset',
}

export type Name = keyof typeof defaultNames
export type Names = Readonly<Record<Name, string>>

/** Names of a source by ours. */
export type AnyNames = Readonly<Record<string, string>>

/** Names that a mapping may replace. */
export interface NameSet {
  defaults: AnyNames
  arguments: ReadonlySet<string>
  /** Names that a source may lack. */
  optional: ReadonlySet<string>
}

const positionNames: NameSet = {
  defaults: defaultNames,
  arguments: new Set<Name>(['pools', 'time', 'first', 'after', 'limit', 'offset']),
  optional: new Set<Name>(['block', 'pools', 'time', 'first', 'limit']),
}

const PATH = /^[_A-Za-z]\w*(\.[_A-Za-z]\w*)*$/

/**
 * Parses a source's names from a JSON object of those that differ. An empty name is omitted from
 * requests.
 * @throws Error whose message continues the name of the setting
 */
export const parseNames = (text: string): Names => readNames(positionNames, namesIn(text)) as Names

/**
 * Completes a source's names with ours.
 * @throws Error whose message continues the name of the setting
 */
export function readNames(
  { defaults, arguments: inputs, optional }: NameSet,
  names: object,
): AnyNames {
  for (const [name, theirs] of Object.entries(names)) {
    if (!Object.hasOwn(defaults, name))
      throw new Error(`names "${name}", which is not one of ${Object.keys(defaults).join(', ')}`)
    if (theirs === '' && optional.has(name)) continue
    if (theirs === '')
      throw new Error(`must not leave out ${name}: only ${[...optional].join(', ')} can be`)
    const { path, type } =
      typeof theirs === 'string' ? split(theirs) : { path: '', type: undefined }
    if (!PATH.test(path) || (type !== undefined && !(inputs.has(name) && isType(type))))
      throw new Error(
        inputs.has(name)
          ? `must give ${name} a name such as "${name}", "where.${name}" or "${name}: Int!", not ` +
              `${JSON.stringify(theirs)}`
          : `must give ${name} a name such as "${name}" or "account.id", not ` +
              `${JSON.stringify(theirs)}`,
      )
  }
  return { ...defaults, ...names }
}

function namesIn(text: string): object {
  const names = parseObject(text)
  if (names) return names
  throw new Error('must be a JSON object such as {"user": "account.id", "time": "timestamp"}')
}

function isType(text: string): boolean {
  try {
    parseType(text)
    return true
  } catch {
    return false
  }
}

/** A name's path, and its type if it has one. */
export function split(theirs: string): { path: string; type: string | undefined } {
  const [path = '', ...type] = theirs.split(':')
  return { path: path.trim(), type: type.length > 0 ? type.join(':').trim() : undefined }
}

/** The path to a field's value below the aliased answer. Empty unless the name is a path. */
export const pathBelow = (names: AnyNames, name: string) => nameIn(names, name).split('.').slice(1)

const nameIn = (names: AnyNames, name: string) => names[name] ?? name

/** Translates one of our operations to a source's names, with our names as aliases. */
export function inNamesOf(names: AnyNames, operation: DocumentNode): string {
  const left = (name: string) => names[name] === ''
  const renamed = visit(operation, {
    Field: {
      leave(node) {
        if (left(node.name.value)) return null
        return renamedField(names, node)
      },
    },
    VariableDefinition(node) {
      const name = node.variable.name.value
      if (left(name)) return null
      const { type } = split(nameIn(names, name))
      return type === undefined ? undefined : { ...node, type: parseType(type) }
    },
  })
  return print(renamed)
}

// Turns `user` into `user: account { id }`. Its selection moves to the end of the path.
function renamedField(
  names: AnyNames,
  { name, arguments: args = [], selectionSet }: FieldNode,
): FieldNode {
  const ours = name.value
  const [theirs = ours, ...below] = nameIn(names, ours).split('.').reverse()
  const last: FieldNode = {
    kind: Kind.FIELD,
    name: nameNode(theirs),
    arguments: renamedArguments(names, args),
    ...(selectionSet && { selectionSet }),
  }
  const first = below.reduce<FieldNode>(
    (inner, part) => ({
      kind: Kind.FIELD,
      name: nameNode(part),
      selectionSet: { kind: Kind.SELECTION_SET, selections: [inner] },
    }),
    last,
  )
  return first.name.value === ours ? first : { ...first, alias: nameNode(ours) }
}

// Turns `time: $time` into `where: { timestamp: $time }`. Several arguments may share a `where`.
function renamedArguments(names: AnyNames, args: readonly ArgumentNode[]): ArgumentNode[] {
  const tree: Tree = new Map()
  for (const { name, value } of args) {
    const path = split(nameIn(names, name.value)).path.split('.')
    const last = path.pop()
    if (!last) continue
    let branch = tree
    for (const part of path) {
      const next = branch.get(part)
      const below: Tree = next instanceof Map ? next : new Map()
      branch.set(part, below)
      branch = below
    }
    branch.set(last, value)
  }
  return [...tree].map(([name, value]) => ({
    kind: Kind.ARGUMENT,
    name: nameNode(name),
    value: valueNode(value),
  }))
}

type Tree = Map<string, Tree | ValueNode>

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value })

const valueNode = (value: Tree | ValueNode): ValueNode =>
  value instanceof Map
    ? {
        kind: Kind.OBJECT,
        fields: [...value].map(
          ([name, below]): ObjectFieldNode => ({
            kind: Kind.OBJECT_FIELD,
            name: nameNode(name),
            value: valueNode(below),
          }),
        ),
      }
    : value
