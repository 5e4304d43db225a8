import { type GraphQLSchema, getVariableValues, type VariableDefinitionNode } from 'graphql'

/** A list of thousands may have as many errors. The first few explain what is wrong. */
export const MAX_VARIABLE_ERRORS = 20

/** Coerces the variables of an operation. Returns their values, or the first errors. */
export const readVariables = (
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  variables: Readonly<Record<string, unknown>>,
) => getVariableValues(schema, definitions, variables, { maxErrors: MAX_VARIABLE_ERRORS })
