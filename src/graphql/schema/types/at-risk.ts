import type { ArgBuilder } from '@pothos/core'
import { sqlFields } from 'pothos-sql'
import {
  type AtRisk,
  atRiskColumns,
  atRiskSql,
  DROPS,
  MOST_DROPS,
} from '../../../domain/position/at-risk.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { columnFields } from '../column-fields.ts'

/** Adds what drops of prices would liquidate. */
export function addAtRisk(builder: Builder): void {
  const CollateralAtRisk = builder.objectRef<AtRisk>('CollateralAtRisk').implement({
    description:
      'The positions of the newest distribution date that can be liquidated if the price of ' +
      'their collateral falls by a fraction.',
    fields: (t) => columnFields(t, atRiskColumns),
  })
  const args = (arg: ArgBuilder<Types>) => ({
    drops: arg.floatList({
      required: true,
      defaultValue: DROPS,
      description: `At most ${MOST_DROPS} falls of prices, above 0 and at most 1: 0.2 is 20 %.`,
    }),
  })
  const cost = {
    cost: {
      once: 500,
      weight: 50,
      rows: ({ drops }) => Math.min(Array.isArray(drops) ? drops.length : DROPS.length, MOST_DROPS),
    } satisfies FieldCost,
  }
  builder.objectFields('Pool', (t) => ({
    collateralAtRisk: t.field({
      type: [CollateralAtRisk],
      description: 'The positions that each drop would liquidate, in the order of `drops`.',
      args: args(t.arg),
      ...sqlFields.rows(
        {
          columns: atRiskColumns,
          by: ['id'],
          of: ({ drops }, [pool = Prisma.empty]) => atRiskSql(drops, pool),
        },
        ['text'],
        cost,
      ),
    }),
  }))
  builder.objectFields('Market', (t) => ({
    collateralAtRisk: t.field({
      type: [CollateralAtRisk],
      description:
        "The positions with the market's token as collateral that each drop of its price would " +
        'liquidate, in the order of `drops`. A position with debt on both sides of the pool ' +
        'counts in both markets, with the fall of all its collateral. Empty if the pool is not ' +
        'stored.',
      args: args(t.arg),
      ...sqlFields.rows(
        {
          columns: atRiskColumns,
          by: ['poolAddress', 'id'],
          of: ({ drops }, [pool = Prisma.empty, market]) => atRiskSql(drops, pool, market),
        },
        ['text', 'text'],
        cost,
      ),
    }),
  }))
}
