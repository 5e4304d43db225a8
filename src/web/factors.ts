import type { MultiplierInput } from 'lending-graph-client'

/** The factors of a pool, in the order of its columns. */
export const FACTORS = ['depositA', 'depositB', 'borrowA', 'borrowB'] as const
export type FactorName = (typeof FACTORS)[number]

type Factors = Record<FactorName, number>
/** A pool by its address, with the factors of a date. Null without a rule. */
export interface PoolFactors {
  address: string
  factors: Factors | null
}
/** The texts of fields that were changed, by pool. */
export type Edits = Readonly<Record<string, Partial<Record<FactorName, string>>>>

const MAX = 1_000_000
const DECIMALS = 6

/** Says why a text is not a factor. Undefined if it is one. */
export function problemOfFactor(text: string): string | undefined {
  const trimmed = text.trim()
  if (/^-/.test(trimmed)) return 'A factor is not negative.'
  if (!/^\d+(\.\d*)?$/.test(trimmed)) return 'A factor is a number such as 1.5.'
  if (Number(trimmed) > MAX) return `A factor is at most ${MAX.toLocaleString('en-US')}.`
  const [, decimals = ''] = trimmed.split('.')
  return decimals.length > DECIMALS ? `A factor has at most ${DECIMALS} decimals.` : undefined
}

/** The pools whose fields differ from their rules, as input: each with all of its factors. */
export function changedMultipliers(
  pools: readonly PoolFactors[],
  edits: Edits,
  from: string,
): MultiplierInput[] {
  return pools.flatMap(({ address, factors }) => {
    const edit = edits[address] ?? {}
    const numbers = FACTORS.map((name) => Number(edit[name] ?? factors?.[name] ?? 0))
    if (FACTORS.every((name, index) => numbers[index] === (factors?.[name] ?? 0))) return []
    const values = Object.fromEntries(FACTORS.map((name, index) => [name, numbers[index]]))
    return [{ poolAddress: address, ...values, from }]
  })
}

/** The command that stores multipliers and computes a date again. */
export function commandOf(
  multipliers: readonly MultiplierInput[],
  kind: string,
  date: string,
): string {
  const run = `gateway ${kind.toLowerCase()} --date ${date}`
  if (multipliers.length === 0) return run
  const records = multipliers.map(({ poolAddress, depositA, depositB, borrowA, borrowB }) =>
    JSON.stringify({
      poolAddress,
      deposit_tokenA: depositA,
      deposit_tokenB: depositB,
      borrow_tokenA: borrowA,
      borrow_tokenB: borrowB,
    }),
  )
  return `gateway multipliers set --from ${date} --yes --file /dev/stdin <<'END' && ${run}
[${records.join(',\n ')}]
END`
}
