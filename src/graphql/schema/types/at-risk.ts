import { sqlFields } from 'pothos-sql'
import type { Reader } from '../../../db/connect/reader.ts'
import {
  assertKnown,
  assertPools,
  MOST_POOLS,
  MOST_SHOCKS,
  poolColumns,
  type Shock,
  shockColumns,
  shockedPoolsSql,
  shockedSql,
} from '../../../domain/position/shocks.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { columnFields, columnsType } from '../column-fields.ts'
import { poolAt, poolField } from './pool.ts'

const POOLS_OF_A_SHOCK = 20

/** Adds what changes of prices would liquidate. @returns the input type of a change */
export function addAtRisk(builder: Builder) {
  columnsType(builder, 'ShockedCollateral', shockColumns, {
    description:
      'The positions of the newest distribution date, in all pools, that can be liquidated if ' +
      'one price changes, or those of tokens that move together. Other prices stay.',
  })
  builder.objectRef<object>('ShockedPool').implement({
    description: 'The part of `ShockedCollateral` that one pool has.',
    fields: (t) => ({
      ...columnFields(t, poolColumns),
      pool: t.field({ ...poolField, ...sqlFields.lookup(poolAt, ['poolAddress']) }),
    }),
  })
  const PriceShock = builder.inputRef<Shock>('PriceShock').implement({
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
  const cost = (each: number): FieldCost => ({
    once: 1000,
    weight: 50,
    each,
    rows: ({ shocks }) => Math.min([shocks].flat().length, MOST_SHOCKS),
  })
  builder.queryFields((t) => {
    const shocks = t.arg({
      type: [PriceShock],
      required: true,
      description: `At most ${MOST_SHOCKS} shocks, each of one token or one group.`,
    })
    const prepare = async (args: { [name: string]: unknown }, reader: Reader) => {
      await assertKnown(reader, args.shocks as Shock[])
      return args
    }
    return {
      collateralAtRisk: t.field({
        description:
          'The positions that each shock would liquidate, in the order of `shocks`. Each shock ' +
          'stands alone, so the rows must not be added up.',
        ...sqlFields.list(t.arg, 'ShockedCollateral', {
          args: { shocks },
          columns: shockColumns,
          by: [],
          prepare,
          from: ({ args: { shocks } }) => shockedSql(shocks),
          extensions: { cost: cost(10) },
        }),
      }),
      poolsAtRisk: t.field({
        description:
          'The same by pool: the rows of a shock add up to its row of `collateralAtRisk`. Pools ' +
          'without such positions, and without unknown ones, are left out. In the order of ' +
          '`shocks`, then the largest debt first.',
        ...sqlFields.list(t.arg, 'ShockedPool', {
          args: {
            shocks,
            pools: t.arg({
              type: ['Address'],
              description: `Only these pools, at most ${MOST_POOLS}. Defaults to all.`,
            }),
          },
          columns: poolColumns,
          by: [],
          prepare: (args, reader: Reader) => {
            assertPools(args.pools)
            return prepare(args, reader)
          },
          from: ({ args: { shocks, pools } }) => shockedPoolsSql(shocks, pools),
          extensions: { cost: cost(POOLS_OF_A_SHOCK) },
        }),
      }),
    }
  })
  return PriceShock
}
