import { exact, plainDouble } from '../../db/exact-sum.ts'

/** The kinds of amounts of a position. */
export type Amount = 'supplied' | 'protected' | 'borrowed'

/**
 * The columns of amounts of one token on a distribution date.
 * @param of builds the SQL of an amount in whole tokens
 * @param on says in descriptions which date; `decimals` names the column of the token's
 */
export function tokenColumns<const Nullable extends boolean>(
  of: (amount: Amount) => string,
  on: { date: string; nullable: Nullable; note?: string; decimals?: string },
) {
  const { decimals } = on
  const when = `on ${on.date}: whole tokens, exactly, and USD.`
  const tokens = (field: string, sql: string, meaning: string) =>
    ({
      sql: `trim_scale(${sql})`,
      type: 'amount',
      nullable: on.nullable,
      description: `${meaning} ${when}${on.note ? ` ${on.note}` : ''}`,
      tokens: {
        field,
        usd: `${field}Usd`,
        ...(decimals && { decimals }),
        whole: true,
        optional: on.nullable,
      },
    }) as const
  const [supplied, borrowed] = [of('supplied'), of('borrowed')]
  return {
    suppliedTokens: tokens('supplied', supplied, 'Borrowable supply'),
    protectedTokens: tokens('protected', of('protected'), 'Non-borrowable supply'),
    borrowedTokens: tokens('borrowed', borrowed, 'Amount borrowed'),
    liquidityTokens: tokens(
      'liquidity',
      `CASE WHEN ${supplied} > ${borrowed} THEN ${supplied} - ${borrowed}
        WHEN ${supplied} IS NOT NULL THEN 0 END`,
      'Supply not lent out',
    ),
  } as const
}

/**
 * The columns of USD amounts on a distribution date.
 * @param of builds the SQL of the doubles of `pool_day` that make up an amount
 * @param on says in descriptions which date, and when a value is null
 */
export function amountColumns<const Nullable extends boolean>(
  of: (amount: Amount) => string[],
  on: { date: string; nullable: Nullable; note?: string },
) {
  const usd = (sql: string, meaning: string) =>
    ({
      sql,
      type: 'float',
      nullable: on.nullable,
      description: `${meaning}${on.note ? ` ${on.note}` : ''}`,
      filter: true,
      sort: true,
    }) as const
  const [supplied, protectedSupply, borrowed] = [of('supplied'), of('protected'), of('borrowed')]
  // Sides are separate markets: what one lacks does not take from the other.
  const lent = borrowed.map((usd, i) => `least(${usd}, ${supplied[i]})`)
  return {
    suppliedUsd: usd(sumOfDays(supplied), `Borrowable supply on ${on.date}, in USD.`),
    protectedUsd: usd(sumOfDays(protectedSupply), `Non-borrowable supply on ${on.date}, in USD.`),
    tvlUsd: usd(
      sumOfDays([...supplied, ...protectedSupply]),
      `TVL on ${on.date}, in USD: lent supply too.`,
    ),
    borrowedUsd: usd(sumOfDays(borrowed), `Amount borrowed on ${on.date}, in USD.`),
    liquidityUsd: usd(
      sumOfDays(supplied, lent),
      `Supply not lent out on ${on.date}, in ` +
        `USD${supplied.length > 1 ? ': the sum of both sides, each at least 0' : ''}.`,
    ),
    utilization: {
      sql: quotientOfDays(sumOfDays(borrowed), sumOfDays(supplied)),
      type: 'float',
      nullable: true,
      description: `\`borrowedUsd / suppliedUsd\`: 0.05 is 5 %. Null without supply.`,
      filter: true,
      sort: true,
    },
  } as const
}

/**
 * SQL of the exact sum of up to eight amounts in USD of `pool_day`, some of them subtracted. They
 * have 6 decimals, and doubles add small integers exactly.
 */
export function sumOfDays(amounts: string[], minus: string[] = []): string {
  const [only = ''] = amounts
  if (amounts.length + minus.length === 1) return only
  const all = (of: (amount: string) => string) =>
    [amounts.map(of).join(' + '), ...minus.map(of)].join(' - ')
  const sizes = [...amounts, ...minus].map((amount) => `abs(${amount})`)
  const small = `greatest(${sizes.join(', ')}) < 1e9`
  return `(CASE WHEN ${small} THEN (${all((amount) => `round(${amount} * 1e6)`)}) / 1e6
    WHEN ${only} IS NOT NULL THEN ${plainDouble(all(exact))} END)`
}

// The quotient of such sums, which Postgres divides unless they are huge. Null for a divisor of 0.
const quotientOfDays = (dividend: string, divisor: string) =>
  `CASE WHEN greatest(abs(${dividend}), abs(${divisor})) < 1e150
    THEN ${dividend} / nullif(${divisor}, 0)
    WHEN ${divisor} <> 0 THEN ${plainDouble(`${exact(dividend)} / ${exact(divisor)}`)} END`

/** The amounts of one side of a row of `pool_day`, 0 without a row. */
export const ofSide =
  (side: 'a' | 'b', row = 'd') =>
  (amount: Amount): [string] => [`coalesce(${row}.${side}_${amount}_usd, 0)`]

/** The same in whole tokens. */
export const tokensOfSide = (side: 'a' | 'b') => (amount: Amount) =>
  `coalesce(d.${side}_${amount}, 0)`

/** The amounts of both sides of a row of `pool_day`, 0 without a row. */
export const ofBothSides = (amount: Amount, row = 'd') => [
  ...ofSide('a', row)(amount),
  ...ofSide('b', row)(amount),
]
