import {
  buildASTSchema,
  type DirectiveNode,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLNamedType,
  GraphQLSchema,
  isInterfaceType,
  isObjectType,
  parse,
  visit,
} from 'graphql'

/** What of a schema is another than clients of the one that was released know, a sentence each. */
export interface Changes {
  /** What valid operations, or those who read their answers, fail on. */
  breaking: string[]
  /** What only some clients notice, such as one that knows all values of an enum. */
  dangerous: string[]
}

/**
 * Compares a schema with the one that was released. What was released as `@deprecated` may be taken away, and with it the
 * types that nothing else leads to.
 */
export function changesSince(released: string, schema: GraphQLSchema): Changes {
  const promised = withoutDeprecated(released)
  const told = (changes: { description: string }[]) => changes.map(({ description }) => description)
  return {
    breaking: told(findBreakingChanges(promised, schema)),
    dangerous: told(findDangerousChanges(buildASTSchema(parse(released)), schema)),
  }
}

function withoutDeprecated(sdl: string): GraphQLSchema {
  const kept = ({ directives }: { readonly directives?: readonly DirectiveNode[] }) =>
    directives?.some(({ name }) => name.value === 'deprecated') ? null : undefined
  const document = visit(parse(sdl), {
    FieldDefinition: kept,
    InputValueDefinition: kept,
    EnumValueDefinition: kept,
  })
  return reachable(buildASTSchema(document, { assumeValid: true }))
}

/** The types that a client can get to: a type that implements an interface is, once the interface is. */
function reachable(whole: GraphQLSchema): GraphQLSchema {
  const { query, mutation, subscription, directives } = whole.toConfig()
  const found = (types: GraphQLNamedType[]): GraphQLSchema => {
    const part = new GraphQLSchema({ query, mutation, subscription, directives, types, assumeValid: true })
    const more = Object.values(whole.getTypeMap()).filter(
      (type) =>
        (isObjectType(type) || isInterfaceType(type)) &&
        part.getType(type.name) === undefined &&
        type.getInterfaces().some(({ name }) => part.getType(name)),
    )
    return more.length === 0 ? part : found([...types, ...more])
  }
  return found([])
}
