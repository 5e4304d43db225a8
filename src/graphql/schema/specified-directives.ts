import { DirectiveLocation, GraphQLDirective, specifiedDirectives } from 'graphql'

/**
 * The directives of GraphQL at the locations of its specification. GraphQL.js adds
 * DIRECTIVE_DEFINITION to `@deprecated`, and clients that do not know this name cannot read the
 * schema.
 */
export const directives = specifiedDirectives.map((directive) => {
  const locations = directive.locations.filter(
    (one) => one !== DirectiveLocation.DIRECTIVE_DEFINITION,
  )
  return new GraphQLDirective({ ...directive.toConfig(), locations })
})
