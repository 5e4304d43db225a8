import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { Plan } from 'pothos-sql'
import { MAX_VARIABLE_ERRORS } from 'pothos-sql/host'
import type { GraphContext } from '../context.ts'
import { type Deprecation, deprecationsIn } from '../policy/deprecations.ts'
import type { Variables } from '../policy/documents.ts'
import { Islands } from './islands.ts'

export type Resolve = (
  context: GraphContext,
  variables?: Variables,
  unplanned?: string,
) => Promise<ExecutionResult>

export interface Operation {
  name: string
  type: OperationTypeNode
  document: DocumentNode
  operationName: string | undefined
  /** True if the rows of its only list are separate from its data, and flat. */
  hasRows: boolean
  /** Reads a query in one statement, if the schema defines how. */
  plan: Pick<Plan, 'run' | 'covers' | 'coerced' | 'size'>
  islands: Pick<Islands<Resolve>, 'of' | 'size'>
  resolve: Resolve
  /** True if it reads one snapshot of the store. Otherwise each statement sees the newest data. */
  snapshot: boolean
  /**
   * The answer depends only on stored data (`data`), or also on the caller or a source (`more`).
   */
  depends: 'data' | 'more'
  warnings: { deprecations: Deprecation[] } | undefined
}

const NO_PLAN: Operation['plan'] = {
  run: async () => undefined,
  covers: () => false,
  coerced: () => undefined,
  size: 0,
}
const NO_ISLANDS: Operation['islands'] = { of: () => undefined, size: 0 }

/** Why a query has no plan although all of its fields have one. */
export const UNPLANNED = {
  /** A graph that was opened without plans. */
  off: 'off',
  /** An unsupported selection, such as the same list twice. */
  selection: 'selection',
  /** A request for more than one plain JSON result: its cost, extensions, an unusual media type. */
  request: 'request',
}

export interface Planning {
  schema: GraphQLSchema
  /** True if queries are planned. If not, they all run on resolvers. */
  plan: boolean
  onUnplanned?: ((reason: string) => void) | undefined
}

/** Makes an operation of a valid document. Null if the document has no such operation. */
export function operationOf(
  planning: Planning,
  document: DocumentNode,
  name: string | undefined,
  hasRows = false,
): Operation | null {
  const operation = getOperationAST(document, name)
  if (!operation) return null
  const { schema, plan } = planning
  const type = operation.operation
  const isPlanned = plan && type === OperationTypeNode.QUERY
  const resolverOf = (document: DocumentNode) => resolver(planning, document, name, type)
  return {
    name: nameOfOperation(operation),
    type,
    document,
    operationName: name,
    hasRows,
    plan: isPlanned ? new Plan(schema, document, name, { hasRows }) : NO_PLAN,
    islands: isPlanned ? new Islands(schema, document, operation, resolverOf) : NO_ISLANDS,
    resolve: resolverOf(document),
    snapshot: type === OperationTypeNode.QUERY && !needsNoSnapshot(operation),
    depends: isVolatile(schema, document) ? 'more' : 'data',
    warnings: warningsFor(schema, document),
  }
}

function resolver(
  { schema, plan, onUnplanned }: Planning,
  document: DocumentNode,
  operationName: string | undefined,
  type: OperationTypeNode,
): Resolve {
  let reason: string | undefined
  return async (contextValue, variables, unplanned) => {
    if (type === OperationTypeNode.QUERY) {
      reason ??= plan ? (unplannedField(schema, document) ?? UNPLANNED.selection) : UNPLANNED.off
      onUnplanned?.(unplanned ?? reason)
    }
    const variableValues = variables ?? {}
    const args = { schema, document, operationName, rootValue: {}, contextValue, variableValues }
    const result = await execute({
      ...args,
      options: { maxCoercionErrors: MAX_VARIABLE_ERRORS },
    })
    // Resolvers below a nulled parent go on, and add their errors to its list.
    return result.errors ? { ...result, errors: [...result.errors] } : result
  }
}

function warningsFor(schema: GraphQLSchema, document: DocumentNode): Operation['warnings'] {
  const deprecations = deprecationsIn(schema, document)
  return deprecations.length > 0 ? { deprecations } : undefined
}

// True if a query only reads the schema or previews. A preview has a separate transaction without a
// time limit.
const needsNoSnapshot = ({ selectionSet: { selections } }: OperationDefinitionNode) =>
  selections.every(
    (one) =>
      one.kind === Kind.FIELD &&
      (one.name.value.startsWith('__') || one.name.value === 'previewDistribution'),
  )

const isVolatile = (schema: GraphQLSchema, document: DocumentNode) =>
  firstField(schema, document, ({ volatile }) => volatile === true) !== undefined

const unplannedField = (schema: GraphQLSchema, document: DocumentNode) =>
  firstField(schema, document, ({ unplanned }) => unplanned !== undefined)

function firstField(
  schema: GraphQLSchema,
  document: DocumentNode,
  matches: (extensions: Readonly<Record<string, unknown>>) => boolean,
): string | undefined {
  const types = new TypeInfo(schema)
  let coordinate: string | undefined
  const Field = () => {
    const field = types.getFieldDef()
    if (field && matches(field.extensions))
      coordinate ??= `${types.getParentType()?.name}.${field.name}`
  }
  visit(document, visitWithTypeInfo(types, { Field }))
  return coordinate
}

const MAX_NAME = 100

// The name of an operation in logs and metrics: its name, or its type and the fields that it
// selects.
function nameOfOperation({ name, operation, selectionSet }: OperationDefinitionNode): string {
  if (name) return name.value.slice(0, MAX_NAME)
  const fields = selectionSet.selections.map((one) => {
    if (one.kind === Kind.FIELD) return one.name.value
    return one.kind === Kind.FRAGMENT_SPREAD ? `...${one.name.value}` : '...'
  })
  return `${operation} { ${[...new Set(fields)].join(' ')} }`.slice(0, MAX_NAME)
}
