import { type DocumentNode, type GraphQLSchema, NoDeprecatedCustomRule, validate } from 'graphql'

/** What a document uses although it will be removed. */
export interface Deprecation {
  /** A schema coordinate, such as `User.name`, `Query.users(skip:)`, `UserFilter.old` or `Kind.OLD`. */
  element: string
  /** What to use instead. Null if nothing replaces it. */
  replacement: string | null
  /** The first date, YYYY-MM-DD, on which a release may lack it. Null if there is no date. */
  removal: string | null
}

/** The reason of a deprecated element, as the schema has it. */
export const deprecated = (replacement: string, removal: string) => `Use ${replacement}. Removed on ${removal}.`

const REASON = /^Use (?<replacement>.+)\. Removed on (?<removal>\d{4}-\d{2}-\d{2})\.$/
const FORMS = [
  /^Field "(?<owner>.+)" argument "(?<arg>.+?)" is deprecated\. (?<reason>.*)$/s,
  /^The (?:field|input field) (?<owner>\S+) is deprecated\. (?<reason>.*)$/s,
  /^The enum value "(?<owner>.+?)" is deprecated\. (?<reason>.*)$/s,
]

/** Finds what a valid document uses that is deprecated, each once. Values of variables are not looked at. */
export function deprecationsIn(schema: GraphQLSchema, document: DocumentNode): Deprecation[] {
  if (!deprecates(schema)) return []
  const found = new Map<string, Deprecation>()
  for (const { message } of validate(schema, document, [NoDeprecatedCustomRule])) {
    const { owner = message, arg, reason } = FORMS.map((form) => form.exec(message)?.groups).find(Boolean) ?? {}
    const element = arg ? `${owner}(${arg}:)` : owner
    const { replacement = null, removal = null } = REASON.exec(reason ?? '')?.groups ?? {}
    found.set(element, { element, replacement, removal })
  }
  return [...found.values()]
}

const known = new WeakMap<GraphQLSchema, boolean>()

/** Whether a schema deprecates anything. */
function deprecates(schema: GraphQLSchema): boolean {
  let does = known.get(schema)
  if (does === undefined) {
    does = deprecatedElements(schema).length > 0
    known.set(schema, does)
  }
  return does
}

/** The elements of a schema that are deprecated, with their reasons. */
export function deprecatedElements(schema: GraphQLSchema): { element: string; reason: string }[] {
  const found: { element: string; reason: string }[] = []
  const note = (element: string, { deprecationReason: reason }: { deprecationReason?: string | null | undefined }) => {
    if (reason != null) found.push({ element, reason })
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if ('getValues' in type) for (const value of type.getValues()) note(`${type.name}.${value.name}`, value)
    if ('getFields' in type)
      for (const field of Object.values(type.getFields())) {
        note(`${type.name}.${field.name}`, field)
        if ('args' in field) for (const arg of field.args) note(`${type.name}.${field.name}(${arg.name}:)`, arg)
      }
  }
  return found
}
