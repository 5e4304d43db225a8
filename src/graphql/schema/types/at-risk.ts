import type { ArgBuilder } from '@pothos/core'
import { sqlFields } from 'pothos-sql'
import { atRiskColumns, atRiskSql, DROPS, MOST_DROPS } from '../../../domain/position/at-risk.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { columnsType } from '../column-fields.ts'

/** Adds what drops of prices would liquidate. */
export function addAtRisk(builder: Builder): void {
  columnsType(builder, 'CollateralAtRisk', atRiskColumns, {
    description:
      'The positions of the newest distribution date that can be liquidated if the price of ' +
      'their collateral falls by a fraction.',
  })
  const cost: FieldCost = {
    once: 500,
    weight: 50,
    rows: ({ drops }) => Math.min(Array.isArray(drops) ? drops.length : DROPS.length, MOST_DROPS),
  }
  // `by`: the fields with the addresses of a pool and, of its positions, a market
  const atRisk = (arg: ArgBuilder<Types>, by: string[]) =>
    sqlFields.list(arg, 'CollateralAtRisk', {
      args: {
        drops: arg.floatList({
          required: true,
          defaultValue: DROPS,
          description: `At most ${MOST_DROPS} falls of prices, above 0 and at most 1: 0.2 is 20 %.`,
        }),
      },
      columns: atRiskColumns,
      by,
      types: by.map(() => 'text'),
      from: ({ args: { drops } }, pool, market) => atRiskSql(drops, pool, market),
      extensions: { cost },
    })
  builder.objectFields('Pool', (t) => ({
    collateralAtRisk: t.field({
      description: 'The positions that each drop would liquidate, in the order of `drops`.',
      ...atRisk(t.arg, ['id']),
    }),
  }))
  builder.objectFields('Market', (t) => ({
    collateralAtRisk: t.field({
      description:
        "The positions with the market's token as collateral that each drop of its price would " +
        'liquidate, in the order of `drops`. A position with debt on both sides of the pool ' +
        'counts in both markets, with the fall of all its collateral. Empty if the pool is not ' +
        'stored.',
      ...atRisk(t.arg, ['poolAddress', 'id']),
    }),
  }))
}
