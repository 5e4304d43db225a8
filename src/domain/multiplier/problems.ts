import type { Reader } from '../../db/connect/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { multipliersOnSql } from './multiplier.ts'
import { FACTOR_NAMES, type Factors, type MultiplierChange } from './update.ts'

const JUMP = 2
/** So is a larger one where there was none. */
export const LARGE = 10

export interface Jump {
  poolAddress: string
  factor: keyof Factors
  /** Null if the pool had no multiplier. */
  from: number | null
  to: number
}

/** The changes that are probably mistakes. */
export const jumpsOf = (changes: MultiplierChange[]): Jump[] =>
  changes.flatMap(({ poolAddress, before, after }) =>
    FACTOR_NAMES.flatMap((factor) => {
      const [from, to] = [before?.[factor] ?? 0, after?.[factor] ?? 0]
      const isJump = from > 0 ? to >= JUMP * from || to <= from / JUMP : to > LARGE
      return isJump ? [{ poolAddress, factor, from: before ? from : null, to }] : []
    }),
  )

export async function poolsWithoutMultiplier(reader: Reader, date: string): Promise<string[]> {
  const rows = await reader.$queryRaw<
    { pool: string }[]
  >(Prisma.sql`SELECT d.pool_address AS pool FROM pool_day d
    WHERE d.distribution_date = ${date}::date AND NOT EXISTS (
      SELECT FROM ${multipliersOnSql(Prisma.sql`${date}::date`)}
        WHERE t.pool_address = d.pool_address) ORDER BY 1`)
  return rows.map(({ pool }) => pool)
}
