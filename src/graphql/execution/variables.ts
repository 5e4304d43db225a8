import { type GraphQLSchema, getVariableValues, type VariableDefinitionNode } from 'graphql'

/** The first few say what is wrong with a list of thousands. */
const MAX_ERRORS = 20

/** The values of an operation's variables, or what is wrong with the first few that are. */
export const readVariables = (
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  variables: Readonly<Record<string, unknown>>,
) => getVariableValues(schema, definitions, variables, { maxErrors: MAX_ERRORS })
