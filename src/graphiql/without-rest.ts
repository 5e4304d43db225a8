interface Introspection {
  data?: { __schema?: { types: Type[] } }
}
interface Type {
  name: string
  fields?: { description: string | null }[] | null
}

/**
 * Removes what only the operations of REST endpoints read from the answer to an introspection:
 * fields that are described as `For the REST API`, and types named `Legacy`.
 */
export function withoutRest<Answer>(answer: Answer): Answer {
  const schema = (answer as Introspection).data?.__schema
  if (!schema) return answer
  schema.types = schema.types.filter(({ name }) => !name.startsWith('Legacy'))
  for (const type of schema.types)
    type.fields = type.fields?.filter(
      ({ description }) => !description?.startsWith('For the REST API'),
    )
  return answer
}
