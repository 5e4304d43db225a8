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

/**
 * What a GraphQL source of positions calls things: our names of `graph-positions.graphql`, and its own. A path goes
 * down (`account.id`). An argument may bring its type along (`timestamp: BigInt!`).
 */
export const ownNames = {
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

export type Name = keyof typeof ownNames
export type Names = Readonly<Record<Name, string>>

const argumentNames: ReadonlySet<string> = new Set<Name>(['pools', 'time', 'first', 'after', 'limit', 'offset'])
/** What a source may do without. */
const optionalNames: ReadonlySet<string> = new Set<Name>(['block', 'pools', 'time', 'first', 'limit'])

const PATH = /^[_A-Za-z]\w*(\.[_A-Za-z]\w*)*$/

/**
 * A source's names, from a JSON object of those that differ; an empty one is left out of what is asked.
 * @throws Error, whose message goes on after the name of the setting, for what is no such object
 */
export function parseNames(text: string): Names {
  const given = parseObject(text)
  for (const [name, theirs] of Object.entries(given)) {
    if (!Object.hasOwn(ownNames, name))
      throw new Error(`names "${name}", which is none of ${Object.keys(ownNames).join(', ')}`)
    if (theirs === '' && optionalNames.has(name)) continue
    if (theirs === '') throw new Error(`must not leave out ${name}: only ${[...optionalNames].join(', ')} can be`)
    const { path, type } = typeof theirs === 'string' ? split(theirs) : { path: '', type: undefined }
    if (!PATH.test(path) || (type !== undefined && !(argumentNames.has(name) && isType(type))))
      throw new Error(
        argumentNames.has(name)
          ? `must give ${name} a name such as "${name}", "where.${name}" or "${name}: Int!", not ${JSON.stringify(theirs)}`
          : `must give ${name} a name such as "${name}" or "account.id", not ${JSON.stringify(theirs)}`,
      )
  }
  return { ...ownNames, ...(given as Partial<Names>) }
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
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

function split(theirs: string): { path: string; type: string | undefined } {
  const [path = '', ...type] = theirs.split(':')
  return { path: path.trim(), type: type.length > 0 ? type.join(':').trim() : undefined }
}

/** Where the value of our field is, below the source's answer to it: empty but for paths that go down. */
export const pathBelow = (names: Names, name: Name) => names[name].split('.').slice(1)

/** The text of one of our operations as a source understands it: its names, under aliases that are ours. */
export function inNamesOf(names: Names, operation: DocumentNode): string {
  const left = (name: string) => Object.hasOwn(names, name) && names[name as Name] === ''
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
      const { type } = split(names[name as Name])
      return type === undefined ? undefined : { ...node, type: parseType(type) }
    },
  })
  return print(renamed)
}

/** `user` as `user: account { id }`; what is asked of it is asked at the end of its path. */
function renamedField(names: Names, { name, arguments: given = [], selectionSet }: FieldNode): FieldNode {
  const own = name.value
  const [theirs = own, ...below] = names[own as Name].split('.').reverse()
  const last: FieldNode = {
    kind: Kind.FIELD,
    name: nameNode(theirs),
    arguments: renamedArguments(names, given),
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
  return first.name.value === own ? first : { ...first, alias: nameNode(own) }
}

/** `time: $time` as `where: { timestamp: $time }`, where several may share a `where`. */
function renamedArguments(names: Names, given: readonly ArgumentNode[]): ArgumentNode[] {
  const tree: Tree = new Map()
  for (const { name, value } of given) {
    const path = split(names[name.value as Name]).path.split('.')
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
  return [...tree].map(([name, value]) => ({ kind: Kind.ARGUMENT, name: nameNode(name), value: valueNode(value) }))
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
