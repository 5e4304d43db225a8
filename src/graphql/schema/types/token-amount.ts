import type { Builder } from '../builder.ts'
import { type TokenAmount, wholeValue } from '../token-amount.ts'

// They are columns of the row that has the amount.
const STORED = { cost: { weight: 0 } }

export const addTokenAmount = (builder: Builder) =>
  builder.objectRef<TokenAmount>('TokenAmount').implement({
    description: 'An amount of a token. An unknown value is null, never 0.',
    fields: (t) => ({
      raw: t.field({
        type: 'BigInt',
        nullable: true,
        description:
          'The exact amount in the smallest unit. Null for positions. Interest may be negative.',
        extensions: STORED,
        resolve: ({ raw }) => raw,
      }),
      decimals: t.int({
        nullable: true,
        description:
          "The number of the token's decimals: `value` is `raw` divided by 10 to this power. " +
          'Null if the token is not known.',
        extensions: STORED,
        resolve: ({ decimals }) => decimals,
      }),
      value: t.string({
        nullable: true,
        description:
          'The amount in whole tokens, as a decimal number such as "1.5": exact, without an ' +
          'exponent. Null if it is unknown.',
        extensions: STORED,
        resolve: wholeValue,
      }),
      usd: t.float({
        nullable: true,
        description: 'The amount in USD. Null if the price is unknown.',
        extensions: STORED,
        resolve: ({ usd }) => usd,
      }),
    }),
  })
