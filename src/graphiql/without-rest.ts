interface Introspection {
  data?: { __schema?: { types: Type[] } }
}
interface Type {
  name: string
  fields?: { name: string }[] | null
}

/**
 * Removes what only the operations of REST endpoints read from the answer to an introspection:
 * fields named `legacy`, and their types.
 */
export function withoutRest<Answer>(answer: Answer): Answer {
  const schema = (answer as Introspection).data?.__schema
  if (!schema) return answer
  schema.types = schema.types.filter(({ name }) => !name.startsWith('Legacy'))
  for (const type of schema.types)
    if (type.fields) type.fields = type.fields.filter(({ name }) => name !== 'legacy')
  return answer
}
