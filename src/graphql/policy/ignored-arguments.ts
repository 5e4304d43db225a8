import { GraphQLError, Kind, type ValidationRule } from 'graphql'
import { fieldsOf, fragmentsOf } from 'pothos-sql/host'

interface Ignored {
  argument: string
  /** How to ask for the fields that would ignore the argument. */
  instead: Record<string, string>
}

const IGNORED: Record<string, Ignored> = {
  'Query.program': {
    argument: 'asOf',
    instead: { series: 'leave asOf out, and give `to` to `series`' },
  },
  'Query.portfolio': {
    argument: 'at',
    instead: {
      series: 'leave at out, and give `to` to `series`',
      users: 'leave at out, or ask lookupUsers(addresses:), whose fields take a moment each',
    },
  },
}

/** Rejects an argument that a field selected below ignores. */
export const withoutIgnoredArguments: ValidationRule = (context) => {
  const fragments = fragmentsOf(context.getDocument())
  return {
    Field({ name, arguments: args = [], selectionSet }) {
      const ignored = IGNORED[`${context.getParentType()?.name}.${name.value}`]
      if (!ignored || !selectionSet) return
      const { argument, instead } = ignored
      const isSent = args.some((one) => one.name.value === argument && one.value.kind !== Kind.NULL)
      if (!isSent) return
      for (const nodes of fieldsOf([selectionSet], fragments).values()) {
        const field = nodes[0]?.name.value ?? ''
        if (Object.hasOwn(instead, field))
          context.reportError(
            new GraphQLError(
              `\`${name.value} { ${field} }\` ignores ${argument}: ${instead[field]}.`,
              { nodes, extensions: { code: 'BAD_INPUT' } },
            ),
          )
      }
    },
  }
}
