import { MAX_PAGE } from 'pothos-sql/host'
import { type Limits, NO_LIMITS } from '../../policy/limits.ts'
import type { Builder } from '../builder.ts'

export function addLimits(builder: Builder): void {
  const LimitsType = builder.objectRef<Limits>('Limits').implement({
    description:
      'The limits on one operation. An operation over a limit is rejected before it runs, with ' +
      'an error that states its size and the limit. Null means that there is no limit.',
    fields: (t) => ({
      depth: t.exposeInt('depth', {
        nullable: true,
        description:
          'Maximum depth of nested fields. Fragments add no depth, and introspection does not ' +
          'count. Null if there is no limit.',
      }),
      aliases: t.exposeInt('aliases', {
        nullable: true,
        description: 'Maximum number of aliases, also in fragments. Null without a limit.',
      }),
      tokens: t.exposeInt('tokens', {
        nullable: true,
        description: 'Maximum number of tokens (names, signs, values). Null without a limit.',
      }),
      cost: t.exposeInt('cost', {
        nullable: true,
        description:
          'Maximum cost. Each object costs 1, multiplied by the page sizes of the lists around ' +
          'it; fields that compute much cost more. Send the header `x-graphql-cost: 1` to get ' +
          'the cost in `extensions.cost`. Null if there is no limit.',
      }),
      pageSize: t.int({
        description: 'Maximum number of rows on a page of a list.',
        resolve: () => MAX_PAGE,
      }),
    }),
  })

  builder.queryField('limits', (t) =>
    t.field({
      type: LimitsType,
      // Depends on this gateway's settings, not on the data.
      extensions: {
        volatile: true,
        cost: { once: 0, weight: 0 },
        unplanned: 'Nothing of it is stored.',
      },
      description: 'The limits of this gateway on one operation.',
      resolve: (_, __, { deps }) => deps.limits ?? NO_LIMITS,
    }),
  )
}
