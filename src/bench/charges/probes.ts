/** Documents that select every field, list and argument of the graph, derived from its schema. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

/** Records of a store that arguments name. */
export interface Names {
  users: string[]
  pools: string[]
  market: { chainId: number; address: string }
  vault: { chainId: number; address: string }
  asset: { chainId: number; address: string; symbol: string }
  /** Distribution dates, oldest first. */
  dates: string[]
  run: string
  ids: string[]
  /** The number of rows of lists at the root. */
  counts: Record<string, number>
}

export interface Probe {
  /** What it measures, such as `User.totalPoints(asOf)`. */
  name: string
  /** `rows`: of each row of a list, `one`: of one row by many aliases. */
  of: 'rows' | 'one'
  query: string
}

/** Where a type is: a document around a selection of its fields. */
interface Place {
  type: GraphQLNamedOutputType
  around(selection: string): string
}

type Field = GraphQLField<unknown, unknown>

const ROWS = 100
/** The page of a list within rows. */
const INNER_ROWS = 10
/** How many rows `offset` skips, at the root and within rows. */
const OFFSETS = { root: 200, inner: 20 }
/** How often a field is selected. */
const ALIASES = { value: 10, object: 4, list: 2, one: 20 }

/** What no probe can select: it changes the store, is part of such an answer, or is an event. */
const LEFT_OUT = new Set(['Mutation', 'Subscription', 'DataChange', 'Problem'])

/** Builds the probes of a schema. @throws Error if a required argument has no value */
export function probesOf(schema: GraphQLSchema, names: Names): Probe[] {
  return new Walk(schema, names).probes()
}

/**
 * What one selection of each field adds to an operation, also with the arguments of weight, by the
 * charge of a document.
 */
export function marginsOf(
  schema: GraphQLSchema,
  names: Names,
  charge: (query: string) => number,
): Record<string, number> {
  return new Walk(schema, names).margins(charge)
}

/** The fields that probes must select. */
export const fieldsOf = (schema: GraphQLSchema): { type: GraphQLObjectType; field: Field }[] =>
  Object.values(schema.getTypeMap())
    .filter((type): type is GraphQLObjectType => isObjectType(type) && !isIntrospectionType(type))
    .filter(({ name }) => !LEFT_OUT.has(name) && !isOfEvents(schema, name))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))

/** True for the result of a mutation. */
const isOfEvents = (schema: GraphQLSchema, name: string) =>
  Object.values(schema.getMutationType()?.getFields() ?? {}).some(
    ({ type }) => getNamedType(type).name === name,
  )

class Walk {
  readonly #schema: GraphQLSchema
  readonly #names: Names

  constructor(schema: GraphQLSchema, names: Names) {
    this.#schema = schema
    this.#names = names
  }

  probes(): Probe[] {
    const [rows, one] = [this.#places(ROWS), this.#places(1)]
    return fieldsOf(this.#schema).flatMap(({ type, field }) => [
      ...this.#probesOf(type, field, 'rows', rows.get(type.name)),
      ...this.#probesOf(type, field, 'one', one.get(type.name)),
    ])
  }

  margins(charge: (query: string) => number): Record<string, number> {
    const places = this.#places(1)
    const added = fieldsOf(this.#schema).flatMap(({ type, field }) => {
      const place = places.get(type.name)
      if (!place) throw new Error(`${type.name} is nowhere`)
      const without = charge(place.around('__typename'))
      const below = getNamedType(field.type)
      const selection = isCompositeType(below) ? ` { ${this.#leaf(below, 0)} }` : ''
      const weighty = field.args
        .filter(({ name }) => !['where', 'orderBy', 'groupBy', 'last'].includes(name))
        .flatMap((arg) => this.#given(field, arg, OFFSETS.inner))
      return [{ name: '', value: () => '' }, ...weighty].map(
        ({ name, value }): [string, number] => [
          `${type.name}.${field.name}${name && `(${name})`}`,
          charge(place.around(`${this.#call(type, field, 1, value(0))}${selection}`)) - without,
        ],
      )
    })
    return Object.fromEntries(added)
  }

  /**
   * The shortest way to each type, with lists of so many rows, and through one of them if there is
   * more than one row.
   */
  #places(rows: number): Map<string, Place> {
    const query = this.#schema.getQueryType() as GraphQLObjectType
    const start = {
      type: query,
      around: (selection: string) => `{ ${selection} }`,
      listed: rows === 1,
    }
    const [plain, listed] = [
      new Map<string, Place>([[query.name, start]]),
      new Map<string, Place>(),
    ]
    const waiting: (Place & { listed: boolean })[] = [start]
    for (let place = waiting.shift(); place; place = waiting.shift())
      for (const next of this.#below(place, rows)) {
        const found = next.listed ? listed : plain
        if (found.has(next.type.name)) continue
        found.set(next.type.name, next)
        waiting.push(next)
      }
    return new Map([...plain, ...listed])
  }

  #below(place: Place & { listed: boolean }, rows: number) {
    const { type, around, listed } = place
    if (isAbstractType(type))
      return this.#schema.getPossibleTypes(type).map((one) => ({
        type: one,
        listed,
        around: (selection: string) => around(`... on ${one.name} { ${selection} }`),
      }))
    if (!isObjectType(type) || LEFT_OUT.has(type.name)) return []
    // Lists that a plan reads first, interfaces last: records by id are of one type.
    const fields = Object.values(type.getFields()).filter((field) =>
      isCompositeType(getNamedType(field.type)),
    )
    const order = (field: Field) => {
      if (isAbstractType(getNamedType(field.type))) return 2
      return this.#fieldsOf(field).nodes ? 0 : 1
    }
    return [0, 1, 2].flatMap((nth) =>
      fields
        .filter((field) => order(field) === nth)
        .flatMap((field) => {
          const next = (of: Field, opened: string, closed: string) => ({
            type: getNamedType(of.type),
            listed: listed || (isMany(field) && rows > 1),
            around: (selection: string) => around(`${opened} { ${selection} }${closed}`),
          })
          const call = this.#call(type, field, listed ? Math.min(rows, INNER_ROWS) : rows)
          const nodes = this.#fieldsOf(field).nodes
          return [...(nodes ? [next(nodes, `${call} { nodes`, ' }')] : []), next(field, call, '')]
        }),
    )
  }

  #probesOf(
    type: GraphQLObjectType,
    field: Field,
    of: Probe['of'],
    place: Place | undefined,
  ): Probe[] {
    if (!place) return []
    const isRoot = type === this.#schema.getQueryType()
    const composite = isCompositeType(getNamedType(field.type))
    if (of === 'rows' && isRoot && !isMany(field)) return []
    if (of === 'one' && (isRoot ? isMany(field) : !composite && field.args.length === 0)) return []
    const count = countOf(field, of, isRoot)
    const selection = composite ? ` { ${this.#leaf(getNamedType(field.type), 0)} }` : ''
    const rows = isRoot ? ROWS : INNER_ROWS
    const probe = (name: string, given: (nth: number) => string, below = selection) => ({
      name: `${type.name}.${field.name}${name}`,
      of,
      query: place.around(
        Array.from(
          { length: count },
          (_, i) => `a${i}: ${this.#call(type, field, rows, given(i))}${below}`,
        ).join(' '),
      ),
    })
    const counts = /totalCount/.test(Object.keys(this.#fieldsOf(field)).join())
    const skipped = isRoot ? OFFSETS.root : OFFSETS.inner
    const optional = field.args.flatMap((arg) =>
      this.#given(field, arg, skipped).map((one) => ({ ...one, arg })),
    )
    // A list of one row's is what it is of many rows.
    const isFilter = (name: string) => name === 'where' || name === 'orderBy' || name === 'last'
    const measured = optional.filter(({ arg }) => of === 'rows' || !isFilter(arg.name))
    return [
      probe('', () => ''),
      ...(counts ? [probe(' totalCount', () => '', ' { totalCount }')] : []),
      ...measured
        .filter(({ arg }) => isRoot || arg.name !== 'where' || !counts)
        .map(({ name, value }) => probe(`(${name})`, value)),
      ...measured
        .filter(({ arg }) => counts && (arg.name === 'where' || arg.name === 'scope'))
        .map(({ name, value }) => probe(`(${name}) totalCount`, value, ' { totalCount }')),
    ]
  }

  #fieldsOf(field: Field): Record<string, Field> {
    const type = getNamedType(field.type)
    return isObjectType(type) ? type.getFields() : {}
  }

  /** A field with its required arguments, those given, and its page. */
  #call(type: GraphQLObjectType, field: Field, rows: number, given = ''): string {
    const required = field.args
      .filter(
        (arg) =>
          isNonNullType(arg.type) &&
          arg.defaultValue === undefined &&
          !given.startsWith(`${arg.name}:`),
      )
      .map((arg) => `${arg.name}: ${this.#required(type, field, arg, rows)}`)
    const all = (type === this.#schema.getQueryType() && this.#names.counts[field.name]) || rows
    const first = field.args.some(({ name }) => name === 'first')
      ? [`first: ${Math.min(rows, all)}`]
      : []
    const args = [given, ...required, ...(/\blast:/.test(given) ? [] : first)].filter(Boolean)
    return args.length > 0 ? `${field.name}(${args.join(', ')})` : field.name
  }

  #required(
    type: GraphQLObjectType,
    field: Field,
    { name }: GraphQLArgument,
    rows: number,
  ): string {
    const { users, pools, market, vault, asset, dates, run, ids } = this.#names
    const entity = { market, vault, asset }[field.name] ?? market
    const values: Record<string, unknown> = {
      'Query.user.address': users[0],
      'Query.pool.address': pools[0],
      address: entity.address,
      chainId: entity.chainId,
      addresses: users.slice(0, rows),
      user: users[0],
      id: ids[0],
      ids: ids.slice(0, rows),
      date: dates.at(-1),
      recordId: run,
      text: asset.symbol,
      amountUsd: 1000,
      days: 90,
      pool: pools[0],
      collateral: asset.address,
      from: dates[0],
      to: dates.at(-1),
    }
    if (name === 'groupBy') return 'POOL'
    if (name === 'shocks') return `{ asset: "${asset.address}", change: -0.1 }`
    if (name === 'where') return `{ users: ["${users[0]}"] }`
    const value = values[`${type.name}.${field.name}.${name}`] ?? values[name]
    if (value === undefined)
      throw new Error(`${type.name}.${field.name} needs a value of ${name} in probes.ts`)
    return JSON.stringify(value)
  }

  /**
   * The values of an optional argument that are measured: each order, each condition, other moments
   * in each alias.
   */
  #given(
    field: Field,
    arg: GraphQLArgument,
    skipped: number,
  ): { name: string; value: (nth: number) => string }[] {
    const { dates, pools } = this.#names
    const type = getNamedType(arg.type)
    const [first, last] = [dates[0] as string, dates.at(-1) as string]
    const alone = (value: (nth: number) => string) => [{ name: arg.name, value }]
    switch (arg.name) {
      case 'asOf':
      case 'at':
        return alone((nth) => `${arg.name}: "${momentOf(dates, nth, type.name)}"`)
      case 'since':
        if (type.name !== 'DateTime') return []
        return alone((nth) => `since: "${momentOf(dates.slice(0, -1), nth, type.name)}"`)
      case 'from':
        if (type.name === 'BigInt' || isNonNullType(arg.type)) return []
        return alone((nth) => {
          const to = field.args.some(({ name }) => name === 'to') ? `, to: "${last}T00:00:00Z"` : ''
          return `from: "${momentOf(dates.slice(0, -1), nth, type.name)}"${to}`
        })
      case 'offset':
        return alone(
          (nth) => `offset: ${type.name === 'Int' ? skipped + nth : `"${skipped + nth}"`}`,
        )
      case 'last':
        return alone(() => `last: ${INNER_ROWS}`)
      case 'drops':
        return alone(
          (nth) =>
            `drops: [${Array.from({ length: 20 }, (_, i) => (i + 1) / (21 + nth)).join(', ')}]`,
        )
      case 'days':
        return isNonNullType(arg.type) && arg.defaultValue === undefined
          ? []
          : alone((nth) => `days: ${nth + 1}`)
      case 'grouped':
        return alone(() => 'grouped: true')
      case 'scope':
        return [
          {
            name: 'scope.asOf',
            value: (nth) => `scope: { asOf: "${momentOf(dates, nth, 'Date')}" }`,
          },
          {
            name: 'scope.window',
            value: () => `scope: { window: { from: "${first}", to: "${last}" } }`,
          },
          {
            name: 'scope.pool',
            value: () =>
              `scope: { window: { pool: "${pools[0]}", from: "${first}", to: "${last}" } }`,
          },
          {
            name: 'scope.chain',
            value: () => `scope: { window: { chainId: 1, from: "${last}", to: "${last}" } }`,
          },
        ]
    }
    if (arg.name === 'orderBy' || arg.name === 'groupBy')
      return isEnumType(type)
        ? type.getValues().map(({ name }) => ({
            name: `${arg.name}: ${name}`,
            value: () => `${arg.name}: ${name}`,
          }))
        : []
    if (arg.name === 'where' && isInputObjectType(type))
      return Object.values(type.getFields()).flatMap((input) => {
        const value = this.#condition(input.name, input.type)
        const bound =
          isNonNullType(arg.type) && input.name !== 'users'
            ? `users: ["${this.#names.users[0]}"], `
            : ''
        return value
          ? [
              {
                name: `where.${input.name}`,
                value: () => `where: { ${bound}${input.name}: ${value} }`,
              },
            ]
          : []
      })
    return []
  }

  /** A condition that many rows meet. */
  #condition(name: string, of: GraphQLInputType): string | undefined {
    const { users, pools, market, asset, dates } = this.#names
    const type = getNamedType(of)
    const lists: Record<string, unknown> = {
      users: users.slice(0, 50),
      pools,
      entities: [market.address],
      assets: [asset.address],
      collateralAssets: [asset.address],
      markets: [market.address],
      debtMarkets: [market.address],
      addresses: [...users.slice(0, 50), ...pools, asset.address, market.address],
      chainIds: [market.chainId],
    }
    if (lists[name]) return JSON.stringify(lists[name])
    if (type.name === 'FloatRange' || type.name === 'IntRange') return '{ gte: 0 }'
    if (type.name === 'DateRange') return `{ gte: "${dates[0]}" }`
    if (type.name === 'DateTimeRange') return `{ gte: "${dates[0]}T00:00:00Z" }`
    if (isEnumType(type)) return `[${type.getValues()[0]?.name}]`
    return undefined
  }

  /** A selection of one value. */
  #leaf(type: GraphQLNamedOutputType, depth: number): string {
    if (!isObjectType(type) || depth > 3) return '__typename'
    const fields = Object.values(type.getFields())
    const plain = (field: Field) => field.args.every(({ type: of }) => !isNonNullType(of))
    const { nodes } = type.getFields()
    if (nodes) return `nodes { ${this.#leaf(getNamedType(nodes.type), depth + 1)} }`
    const value = fields.find(
      (field) => !isCompositeType(getNamedType(field.type)) && field.name !== 'id' && plain(field),
    )
    if (value) return value.name
    const object = fields.find((field) => isObjectType(getNamedType(field.type)) && plain(field))
    return object
      ? `${object.name} { ${this.#leaf(getNamedType(object.type), depth + 1)} }`
      : '__typename'
  }
}

/** True if a field is a list of rows, or a connection. */
function isMany(field: Field): boolean {
  const type = getNamedType(field.type)
  return (
    (isListType(getNullableType(field.type)) && isCompositeType(type)) ||
    (isObjectType(type) && 'nodes' in type.getFields())
  )
}

function countOf(field: Field, of: Probe['of'], isRoot: boolean): number {
  if (isMany(field)) return ALIASES.list
  if (of === 'one' || isRoot) return ALIASES.one
  return isCompositeType(getNamedType(field.type)) ? ALIASES.object : ALIASES.value
}

/** A moment, another one for each alias. */
function momentOf(dates: string[], nth: number, type: string): string {
  const date = dates[nth % dates.length]
  return type === 'Date' ? (date as string) : `${date}T00:00:${String(nth).padStart(2, '0')}Z`
}
