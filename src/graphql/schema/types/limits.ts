import { type Limits, NO_LIMITS } from '../../policy/limits.ts'
import type { Builder } from '../builder.ts'
import { MAX_PAGE } from '../connection.ts'

export function addLimits(builder: Builder): void {
  const LimitsType = builder.objectRef<Limits>('Limits').implement({
    description:
      'What one operation may ask for. More is refused before anything runs, with what was found and what is allowed. Null: there is no such limit.',
    fields: (t) => ({
      depth: t.exposeInt('depth', {
        nullable: true,
        description: 'Levels of fields. Fragments add none, and introspection does not count. Null: no limit.',
      }),
      aliases: t.exposeInt('aliases', {
        nullable: true,
        description: 'Aliases, those in fragments among them. Null: no limit.',
      }),
      tokens: t.exposeInt('tokens', {
        nullable: true,
        description: 'Tokens of the document: names, punctuation, values. Null: no limit.',
      }),
      cost: t.exposeInt('cost', {
        nullable: true,
        description:
          'The cost: 1 for each object, as often as the pages of the lists around it have rows; some fields that compute much cost more. The header `x-graphql-cost: 1` has it told in `extensions.cost`. Null: no limit.',
      }),
      pageSize: t.int({ description: 'Rows of one page of a list.', resolve: () => MAX_PAGE }),
    }),
  })

  builder.queryField('limits', (t) =>
    t.field({
      type: LimitsType,
      // Of this gateway and no property of the data.
      extensions: { volatile: true, cost: { weight: 0 } },
      description: 'What one operation may ask for here.',
      resolve: (_, __, { deps }) => deps.limits ?? NO_LIMITS,
    }),
  )
}
