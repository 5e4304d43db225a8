import { sqlFields } from 'pothos-sql'
import type { Reader } from '../../../db/connect/reader.ts'
import { atRiskColumns, atRiskSql, DROPS, MOST_DROPS } from '../../../domain/position/at-risk.ts'
import {
  assertKnown,
  MOST_SHOCKS,
  shockColumns,
  shockedSql,
} from '../../../domain/position/shocks.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { columnsType } from '../column-fields.ts'

/** Adds what drops of prices would liquidate. */
export function addAtRisk(builder: Builder): void {
  columnsType(builder, 'CollateralAtRisk', atRiskColumns, {
    description:
      'The positions of the newest distribution date that can be liquidated if the price of ' +
      'their collateral falls by a fraction.',
  })
  columnsType(builder, 'ShockedCollateral', shockColumns, {
    description:
      'The positions of the newest distribution date, in all pools, that can be liquidated if ' +
      'one price changes, or those of tokens that move together. Other prices stay.',
  })
  const Shock = builder.inputType('PriceShock', {
    description: 'A change of the price of a token, or of all tokens of a group.',
    fields: (t) => ({
      asset: t.field({ type: 'Address', description: 'The token, on any chain.' }),
      group: t.string({
        description:
          'The currency or token that the tokens move with, such as ETH: `movesWith` of assets.',
      }),
      change: t.float({
        required: true,
        description:
          'The change as a fraction, above -1 and at most 10, but not 0: -0.2 is a fall by 20 %.',
      }),
    }),
  })
  builder.queryFields((t) => ({
    collateralAtRisk: t.field({
      description:
        'The positions that each shock would liquidate, in the order of `shocks`. Each shock ' +
        'stands alone, so the rows must not be added up.',
      ...sqlFields.list(t.arg, 'ShockedCollateral', {
        args: {
          shocks: t.arg({
            type: [Shock],
            required: true,
            description: `At most ${MOST_SHOCKS} shocks, each of one token or one group.`,
          }),
        },
        columns: shockColumns,
        by: [],
        prepare: async ({ shocks, ...args }, reader: Reader) => {
          await assertKnown(reader, shocks)
          return { ...args, shocks }
        },
        from: ({ args: { shocks } }) => shockedSql(shocks),
        extensions: {
          cost: {
            once: 1000,
            weight: 50,
            rows: ({ shocks }) => Math.min([shocks].flat().length, MOST_SHOCKS),
          } satisfies FieldCost,
        },
      }),
    }),
  }))
  const cost: FieldCost = {
    once: 500,
    weight: 50,
    rows: ({ drops }) => Math.min(Array.isArray(drops) ? drops.length : DROPS.length, MOST_DROPS),
  }
  builder.objectFields('Market', (t) => ({
    collateralAtRisk: t.field({
      description:
        "The positions with the market's token as collateral that each drop of its price would " +
        'liquidate, in the order of `drops`. A position with debt on both sides of the pool ' +
        'counts in both markets, with the fall of all its collateral. Empty if the pool is not ' +
        'stored.',
      ...sqlFields.list(t.arg, 'CollateralAtRisk', {
        args: {
          drops: t.arg.floatList({
            required: true,
            defaultValue: DROPS,
            description: `At most ${MOST_DROPS} falls, above 0 and at most 1: 0.2 is 20 %.`,
          }),
        },
        columns: atRiskColumns,
        by: ['poolAddress', 'id'],
        types: ['text', 'text'],
        from: ({ args: { drops } }, pool, market) => atRiskSql(drops, pool, market),
        extensions: { cost },
      }),
    }),
  }))
}
