import type { Reader } from '../../db/connect/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'

/** SQL of an amount in whole tokens as an exact number, from one in the smallest unit and the number of decimals. */
export const wholeTokensSql = (amount: string, decimals: string): string =>
  `trim_scale(${amount} * ('1e-' || ${decimals})::numeric)`

/** An amount in whole tokens as a decimal string, such as 1.5, from the digits of one in the smallest unit. */
export function wholeTokens(digits: string, decimals: number): string {
  const padded = digits.padStart(decimals + 1, '0')
  const point = padded.length - decimals
  return `${padded.slice(0, point)}.${padded.slice(point)}`.replace(/\.?0*$/, '')
}

type Key = readonly [chainId: bigint, address: string]

const decimalsOf = (kind: 'market' | 'vault') => async (reader: Reader, keys: readonly Key[]) => {
  const rows = await reader.$queryRaw<{ ordinality: number; decimals: number }[]>`
    SELECT k.ordinality::int AS ordinality, e.asset_decimals AS decimals
    FROM unnest(${keys.map(([chainId]) => String(chainId))}::bigint[], ${keys.map(([, address]) => address)}::text[])
      WITH ORDINALITY AS k(chain_id, address, ordinality)
    JOIN ${Prisma.raw(kind)} e ON e.chain_id = k.chain_id AND e.id = k.address`
  const all: (number | null)[] = keys.map(() => null)
  for (const { ordinality, decimals } of rows) all[ordinality - 1] = decimals
  return all
}

/** Reads the decimals of the asset of each market or vault. Null for one that is not stored. */
export const entityDecimals = { market: decimalsOf('market'), vault: decimalsOf('vault') }
