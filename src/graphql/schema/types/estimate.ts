import type { ArgBuilder } from '@pothos/core'
import { defineLookup, type Lookup, sqlFields } from 'pothos-sql'
import {
  assertEstimate,
  type Estimate as EstimateRow,
  estimateColumns,
  estimateRuleColumns,
  estimateRulesSql,
  MOST_DAYS,
  MOST_RULES,
  marketEstimateSql,
  type PointsPerDollar,
  pointsPerDollarColumns,
  pointsPerDollarSql,
  vaultEstimateSql,
} from '../../../domain/market/estimate.ts'
import type { BasePoints } from '../../../domain/points/formula.ts'
import type { Builder, Types } from '../builder.ts'
import { columnFields, columnsType } from '../column-fields.ts'

const INPUTS = ['amountUsd', 'days', 'pointValueUsd', 'from']
const INPUT_TYPES = ['float8', 'bigint', 'float8', 'date'] as const

/** Adds what an amount in a market or a vault would earn. */
export function addEstimate(builder: Builder, basePoints: BasePoints): void {
  columnsType(builder, 'EstimateRule', estimateRuleColumns, {
    description: 'Rules of points that an estimate assumes for some of its dates.',
  })
  const Estimate = builder.objectRef<EstimateRow>('Estimate').implement({
    description: 'The earnings of an amount in a market or vault, and the assumptions.',
    fields: (t) => ({
      ...columnFields(t, estimateColumns),
      rules: t.field({
        description:
          'The rules of points, in order of dates: announced ones follow those in force. The ' +
          `first ${MOST_RULES} of them. Empty if \`points\` are not known.`,
        ...sqlFields.list(t.arg, 'EstimateRule', {
          columns: estimateRuleColumns,
          by: ['pool', 'side', 'borrowed', 'from', 'to'],
          types: ['text', 'text', 'boolean', 'date', 'date'],
          from: (_, ...owner) => estimateRulesSql(basePoints)(owner),
          extensions: { cost: { rows: 5 } },
        }),
      }),
    }),
  })
  const inputs = (arg: ArgBuilder<Types>) => ({
    amountUsd: arg.float({ required: true, description: 'The amount in USD, from 0 to 1e15.' }),
    days: arg.int({
      required: true,
      description: `The number of distribution dates, 1 to ${MOST_DAYS}.`,
    }),
    pointValueUsd: arg.float({
      required: true,
      defaultValue: 0,
      description: 'The worth of a point in USD, from 0 to 1e6, as the caller sets it.',
    }),
    from: arg({
      type: 'Date',
      description: 'The first distribution date. Defaults to the one after the newest.',
    }),
  })
  const estimated = (kind: Lookup<EstimateRow>, by: string[]) =>
    sqlFields.lookup(kind, by, { cost: { once: 200, weight: 3 } }, { assert: assertEstimate })
  const ofMarket = defineLookup({
    columns: estimateColumns,
    types: ['bigint', 'text', 'text', 'float8', 'float8', 'boolean', ...INPUT_TYPES],
    always: true,
    nullable: true,
    at: (...key) => marketEstimateSql(basePoints)(key),
  })
  const ofVault = defineLookup({
    columns: estimateColumns,
    types: ['float8', ...INPUT_TYPES],
    always: true,
    nullable: true,
    at: (...key) => vaultEstimateSql(basePoints)(key),
  })
  const perDollar = defineLookup({
    columns: pointsPerDollarColumns,
    types: ['bigint', 'text', 'text', 'date'],
    nullable: true,
    at: (...key) => pointsPerDollarSql(basePoints)(key),
  })
  const what = 'at rates and rules known now.'
  builder.objectFields('Market', (t) => {
    const rate = (name: keyof PointsPerDollar) =>
      t.float({
        nullable: true,
        description: pointsPerDollarColumns[name].description,
        args: {
          asOf: t.arg({
            type: 'Date',
            description:
              'The distribution date whose rules count, as known now. It may be in the future. ' +
              'Defaults to the one after the newest.',
          }),
        },
        ...sqlFields.lookupColumn(perDollar, name, ['chainId', 'id', 'poolAddress', 'asOf'], {
          cost: { once: 250, weight: 1 },
        }),
      })
    return {
      depositPointsPerDollar: rate('depositPointsPerDollar'),
      borrowPointsPerDollar: rate('borrowPointsPerDollar'),
      estimate: t.field({
        type: Estimate,
        description: `The earnings of an amount in the market ${what}`,
        args: {
          ...inputs(t.arg),
          borrowed: t.arg.boolean({
            required: true,
            defaultValue: false,
            description: 'True for an amount that is borrowed, false for one that is supplied.',
          }),
        },
        ...estimated(ofMarket, [
          'chainId',
          'id',
          'poolAddress',
          'depositRate',
          'borrowRate',
          'borrowed',
          ...INPUTS,
        ]),
      }),
    }
  })
  builder.objectFields('Vault', (t) => ({
    estimate: t.field({
      type: Estimate,
      description: `The earnings of an amount in the vault ${what}`,
      args: inputs(t.arg),
      ...estimated(ofVault, ['depositRate', ...INPUTS]),
    }),
  }))
}
