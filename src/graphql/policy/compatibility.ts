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
import { directives as specified } from '../schema/specified-directives.ts'

/** Changes since the released schema, one sentence each. */
export interface Changes {
  /** Changes that break valid operations, or clients that read their answers. */
  breaking: string[]
  /** Changes that affect only some clients, such as those that know all values of an enum. */
  dangerous: string[]
}

/**
 * Compares a schema with the released one. Elements that were released as `@deprecated` may be
 * removed, along with types that become unreachable.
 */
export function changesSince(released: string, schema: GraphQLSchema): Changes {
  const guaranteed = withoutDeprecated(released)
  const describe = (changes: { description: string }[]) =>
    changes.map(({ description }) => description)
  return {
    breaking: describe(findBreakingChanges(guaranteed, schema)),
    dangerous: describe(findDangerousChanges(buildASTSchema(parse(released)), schema)),
  }
}

function withoutDeprecated(sdl: string): GraphQLSchema {
  const dropDeprecated = ({ directives }: { readonly directives?: readonly DirectiveNode[] }) =>
    directives?.some(({ name }) => name.value === 'deprecated') ? null : undefined
  const document = visit(parse(sdl), {
    FieldDefinition: dropDeprecated,
    InputValueDefinition: dropDeprecated,
    EnumValueDefinition: dropDeprecated,
  })
  return reachable(buildASTSchema(document, { assumeValid: true }))
}

function reachable(whole: GraphQLSchema): GraphQLSchema {
  const { query, mutation, subscription, ...config } = whole.toConfig()
  const directives = config.directives.map(
    (one) => specified.find(({ name }) => name === one.name) ?? one,
  )
  const schemaOf = (types: GraphQLNamedType[]): GraphQLSchema => {
    const part = new GraphQLSchema({
      query,
      mutation,
      subscription,
      directives,
      types,
      assumeValid: true,
    })
    const more = Object.values(whole.getTypeMap()).filter(
      (type) =>
        (isObjectType(type) || isInterfaceType(type)) &&
        part.getType(type.name) === undefined &&
        type.getInterfaces().some(({ name }) => part.getType(name)),
    )
    return more.length === 0 ? part : schemaOf([...types, ...more])
  }
  return schemaOf([])
}
