import {
  type ConstValueNode,
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'

/** The JSON Schema of one argument, or of all arguments of a tool. */
export interface InputSchema {
  [keyword: string]: unknown
  type: string
  description?: string
  properties?: Record<string, InputSchema>
  required?: string[]
}

/** The JSON Schema of a tool's arguments: MCP requires an object. */
export interface ArgumentsSchema extends InputSchema {
  type: 'object'
  properties: Record<string, InputSchema>
}

const SCALARS: Record<string, InputSchema> = {
  Address: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
  BigInt: { type: 'string', pattern: '^\\d{1,20}$' },
  Boolean: { type: 'boolean' },
  Date: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  DateTime: { type: 'string', description: 'YYYY-MM-DD, or a time such as 2026-01-31T12:00:00Z.' },
  Float: { type: 'number' },
  Int: { type: 'integer' },
  SafeInt: { type: 'integer' },
}

// Filters that contain filters: a schema without them has an end, and a chat seldom needs them.
const COMBINED = ['AND', 'NOT', 'OR']

/**
 * The JSON Schema of the variables of an operation, with the descriptions of the arguments that
 * they are for.
 * @param without variables that callers do not set
 */
export function inputSchema(
  schema: GraphQLSchema,
  document: DocumentNode,
  without: readonly string[] = [],
): ArgumentsSchema {
  const described = descriptionsOf(schema, document)
  const properties: Record<string, InputSchema> = {}
  const required: string[] = []
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    for (const { variable, type, defaultValue } of definition.variableDefinitions ?? []) {
      const name = variable.name.value
      if (without.includes(name)) continue
      const inputType = typeFromAST(schema, type as never) as unknown as GraphQLInputType
      properties[name] = {
        ...withDescription(schemaOf(inputType), described.get(name)),
        ...(defaultValue && { default: valueFromASTUntyped(defaultValue as ConstValueNode) }),
      }
      if (isNonNullType(inputType) && !defaultValue) required.push(name)
    }
  }
  return { type: 'object', properties, required, additionalProperties: false }
}

function schemaOf(type: GraphQLInputType): InputSchema {
  if (isNonNullType(type)) return schemaOf(type.ofType)
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType) }
  if (isInputObjectType(type)) return objectSchema(type)
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) }
  return SCALARS[type.name] ?? { type: 'string' }
}

function objectSchema(type: GraphQLInputObjectType): InputSchema {
  const fields = Object.values(type.getFields()).filter(({ name }) => !COMBINED.includes(name))
  // Of lt, lte, gt and gte the names say enough: a model reads the schemas of all tools each time.
  const isRange = type.name.endsWith('Range')
  const required = fields.filter(isRequiredInputField).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, type, description }) => [
        name,
        isRange ? schemaOf(type) : withDescription(schemaOf(type), description),
      ]),
    ),
    ...(required.length > 0 && { required }),
    ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }),
    additionalProperties: false,
  }
}

function withDescription(schema: InputSchema, description: string | null | undefined): InputSchema {
  const sentences = [description?.replace(/\s+/g, ' '), schema.description].filter(Boolean)
  return sentences.length > 0 ? { ...schema, description: sentences.join(' ') } : schema
}

// The descriptions of the arguments and input fields that take a document's variables.
function descriptionsOf(schema: GraphQLSchema, document: DocumentNode): Map<string, string> {
  const types = new TypeInfo(schema)
  const found = new Map<string, string>()
  const fieldOf = (name: string) => {
    const type = getNamedType(types.getParentInputType())
    return isInputObjectType(type) ? type.getFields()[name] : undefined
  }
  visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition: () => false,
      Argument({ value }) {
        const description = types.getArgument()?.description
        if (value.kind === Kind.VARIABLE && description) add(value.name.value, description)
      },
      ObjectField({ name, value }) {
        const description = fieldOf(name.value)?.description
        if (value.kind === Kind.VARIABLE && description) add(value.name.value, description)
      },
    }),
  )
  return found

  function add(name: string, description: string) {
    if (!found.has(name)) found.set(name, description)
  }
}
