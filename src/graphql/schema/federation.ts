import { brandWithType } from '@pothos/core'
import {
  type GraphQLSchema,
  isScalarType,
  Kind,
  lexicographicSortSchema,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql'
import { GatewayError } from '../../errors.ts'
import type { GraphContext } from '../context.ts'
import { resolveInTurns } from '../turns.ts'
import { type Builder, createBuilder } from './builder.ts'
import { withExactFloats } from './scalars.ts'
import { addTypes, type SchemaOptions } from './schema.ts'
import { directives } from './specified-directives.ts'
import { marketAt } from './types/market.ts'
import { poolAt } from './types/pool.ts'
import { vaultAt } from './types/vault.ts'

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key", "@shareable"])'
/** The size of one batch, so that all representations are loaded in one statement. */
const MAX_REPRESENTATIONS = 10_000

interface OnChain {
  chainId: number
  address: string
}

/**
 * Creates the Apollo Federation 2 subgraph. Other subgraphs may reference its users, pools, markets
 * and vaults.
 */
export function createSubgraph(options?: SchemaOptions): GraphQLSchema {
  const builder = createBuilder()
  addTypes(builder, options)
  addEntities(builder)
  let sdl: string | undefined
  addService(builder, () => {
    sdl ??= printSubgraphSchema(schema)
    return sdl
  })
  const schema = resolveInTurns(withExactFloats(builder.toSchema({ directives })))
  return schema
}

/** The subgraph's SDL, as `_service` returns it. */
export const printSubgraph = (): string => printSubgraphSchema(createSubgraph())

/**
 * Prints what this graph adds to a federated one: its types with their directives, without what
 * every subgraph has.
 */
function printSubgraphSchema(schema: GraphQLSchema): string {
  const sdl = visit(parse(printSchema(lexicographicSortSchema(schema))), {
    enter(node) {
      if ('name' in node && /^_(Any|Entity|Service|entities|service)$/.test(node.name?.value ?? ''))
        return null
      return node.kind === Kind.OBJECT_TYPE_DEFINITION ? withDirective(node) : undefined
    },
  })
  return `${LINK}\n\n${print(sdl)}\n`
}

function withDirective(type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  const name = type.name.value
  const text = isEntity(name)
    ? `@key(fields: "${keys[name].join(' ')}")`
    : name === 'PageInfo'
      ? '@shareable'
      : ''
  const { directives = [] } = parse(`type ${name} ${text}`)
    .definitions[0] as ObjectTypeDefinitionNode
  return { ...type, directives }
}

/** Loads the entity of a key, batched by type. Null if it is not stored. */
const references = {
  User: ({ address }: { address: string }) => ({ address }),
  Pool: ({ address }: { address: string }, { batches }: GraphContext) =>
    batches.load(poolAt.load, [address]),
  Market: ({ chainId, address }: OnChain, { batches }: GraphContext) =>
    batches.load(marketAt.load, [chainId, address]),
  Vault: ({ chainId, address }: OnChain, { batches }: GraphContext) =>
    batches.load(vaultAt.load, [chainId, address]),
}

const keys = {
  User: ['address'],
  Pool: ['address'],
  Market: ['chainId', 'address'],
  Vault: ['chainId', 'address'],
}
const scalars = { address: 'Address', chainId: 'SafeInt' } as Record<string, string>

function addService(builder: Builder, sdl: () => string): void {
  const Service = builder.objectRef<object>('_Service').implement({
    description: 'This graph as a subgraph of a federated graph.',
    fields: (t) => ({
      sdl: t.string({
        description: 'The schema of the subgraph, with federation directives.',
        resolve: sdl,
      }),
    }),
  })
  builder.queryField('_service', (t) =>
    t.field({
      type: Service,
      description: 'The service definition that a router reads for composition.',
      resolve: () => ({}),
    }),
  )
}

/**
 */
function addEntities(builder: Builder): void {
  builder.scalarType('_Any', {
    description: 'A representation of an entity: its `__typename`, and the fields of its key.',
    serialize: (value) => value,
  })
  const Entity = builder.unionType('_Entity', {
    description: 'An entity that other subgraphs may reference.',
    types: ['User', 'Pool', 'Market', 'Vault'],
  })
  builder.queryField('_entities', (t) =>
    t.field({
      type: [Entity],
      nullable: { list: false, items: true },
      description:
        'The entities of the given representations, in the same order. Null for an entity that is not stored. A malformed representation is an error at its index.',
      args: {
        representations: t.arg({
          type: ['_Any'],
          required: true,
          description: `Entity keys with their __typename, at most ${MAX_REPRESENTATIONS}.`,
        }),
      },
      resolve: (_, { representations }, context, { schema }) => {
        if (representations.length > MAX_REPRESENTATIONS)
          throw new GatewayError(
            'BAD_INPUT',
            `representations must be at most ${MAX_REPRESENTATIONS}.`,
          )
        return representations.map(async (representation, i) => {
          const { typename, key } = readRepresentation(representation, i, schema)
          const entity = await references[typename](key, context)
          if (entity) brandWithType(entity, typename as never)
          return entity as never
        })
      },
    }),
  )
}

/** @throws BAD_INPUT if the representation is not an entity key */
function readRepresentation(representation: unknown, index: number, schema: GraphQLSchema) {
  const fault = (message: string) =>
    new GatewayError('BAD_INPUT', `representations[${index}] ${message}.`)
  if (
    representation === null ||
    typeof representation !== 'object' ||
    Array.isArray(representation)
  )
    throw fault('must be an object')
  const fields = representation as Record<string, unknown>
  const typename = fields.__typename
  if (!isEntity(typename)) throw fault(`must have a __typename of ${Object.keys(keys).join(', ')}`)
  const key = Object.fromEntries(
    keys[typename].map((name) => {
      if (fields[name] === undefined)
        throw fault(`must have ${name}, which is part of the key of ${typename}`)
      const scalar = schema.getType(scalars[name] ?? '')
      return [name, isScalarType(scalar) ? scalar.parseValue(fields[name]) : undefined]
    }),
  )
  return { typename, key: key as unknown as OnChain }
}

const isEntity = (name: unknown): name is keyof typeof references =>
  typeof name === 'string' && Object.hasOwn(keys, name)
