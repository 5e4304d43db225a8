import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'

/** An element that a document uses and that will be removed. */
export interface Deprecation {
  /**
   * A schema coordinate, such as `User.name`, `Query.users(skip:)`, `UserFilter.old` or `Kind.OLD`.
   */
  element: string
  /** The replacement. Null if nothing replaces it. */
  replacement: string | null
  /** The first date, YYYY-MM-DD, on which a release may lack it. Null if there is no date. */
  removal: string | null
}

/** The reason of a deprecated element, as the schema has it. */
export const deprecated = (replacement: string, removal: string) =>
  `Use ${replacement}. Removed on ${removal}.`

const REASON = /^Use (?<replacement>.+)\. Removed on (?<removal>\d{4}-\d{2}-\d{2})\.$/

/**
 * Finds what a valid document uses that is deprecated, each once. Values of variables are not
 * looked at.
 */
export function deprecationsIn(schema: GraphQLSchema, document: DocumentNode): Deprecation[] {
  if (!deprecates(schema)) return []
  const all = new Map<string, Deprecation>()
  const note = (
    element: string,
    definition: { deprecationReason?: string | null | undefined } | null | undefined,
  ) => {
    if (definition?.deprecationReason == null) return
    const { replacement = null, removal = null } =
      REASON.exec(definition.deprecationReason)?.groups ?? {}
    all.set(element, { element, replacement, removal })
  }
  const types = new TypeInfo(schema)
  const fieldName = () => `${types.getParentType()?.name}.${types.getFieldDef()?.name}`
  const visitor = visitWithTypeInfo(types, {
    Field() {
      note(fieldName(), types.getFieldDef())
    },
    Argument({ name }) {
      const directive = types.getDirective()
      note(`${directive ? `@${directive.name}` : fieldName()}(${name.value}:)`, types.getArgument())
    },
    ObjectField({ name }) {
      const owner = getNamedType(types.getParentInputType())
      if (isInputObjectType(owner))
        note(`${owner.name}.${name.value}`, owner.getFields()[name.value])
    },
    EnumValue({ value }) {
      note(`${getNamedType(types.getInputType())?.name}.${value}`, types.getEnumValue())
    },
  })
  visit(document, visitor)
  return [...all.values()]
}

const cache = new WeakMap<GraphQLSchema, boolean>()

function deprecates(schema: GraphQLSchema): boolean {
  let does = cache.get(schema)
  if (does === undefined) {
    does = deprecatedElements(schema).length > 0
    cache.set(schema, does)
  }
  return does
}

/** The elements of a schema that are deprecated, with their reasons. */
export function deprecatedElements(schema: GraphQLSchema): { element: string; reason: string }[] {
  const used: { element: string; reason: string }[] = []
  const note = (
    element: string,
    { deprecationReason: reason }: { deprecationReason?: string | null | undefined },
  ) => {
    if (reason != null) used.push({ element, reason })
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if ('getValues' in type)
      for (const value of type.getValues()) note(`${type.name}.${value.name}`, value)
    if ('getFields' in type)
      for (const field of Object.values(type.getFields())) {
        note(`${type.name}.${field.name}`, field)
        if ('args' in field)
          for (const arg of field.args) note(`${type.name}.${field.name}(${arg.name}:)`, arg)
      }
  }
  return used
}
