import { sqlFields } from 'pothos-sql'
import type { Builder } from '../builder.ts'
import { assetCost } from './asset.ts'

interface Trigger {
  chainId: bigint
  address: string
  symbol: string
  againstAddress: string | null
  againstSymbol: string | null
  direction: 'UP' | 'DOWN'
  priceUsd: number | null
  ratio: number | null
  change: number
}

/** Adds the price that liquidates a position. */
export function addLiquidationTrigger(builder: Builder): void {
  const Direction = builder.enumType('PriceDirection', {
    description: 'The direction in which a price moves.',
    values: {
      UP: { description: 'The price rises.' },
      DOWN: { description: 'The price falls.' },
    },
  })
  builder.objectRef<Trigger>('LiquidationTrigger').implement({
    description:
      'The move of a price that liquidates a position. It is that of the collateral, unless ' +
      'the collateral is stable and the debt is not: then it is that of the debt. If both ' +
      'tokens move together, it is that of their ratio.',
    fields: (t) => ({
      asset: t.field({
        type: 'Asset',
        description: 'The token whose price moves.',
        ...sqlFields.embedded(
          { chainId: 'chainId', address: 'address', symbol: 'symbol' },
          assetCost,
        ),
      }),
      against: t.field({
        type: 'Asset',
        nullable: true,
        description:
          "The debt's token, in which the price counts, if both move together. Null if the " +
          'price counts in USD.',
        ...sqlFields.embedded(
          { chainId: 'chainId', address: 'againstAddress', symbol: 'againstSymbol' },
          assetCost,
          'againstAddress',
        ),
      }),
      direction: t.expose('direction', {
        type: Direction,
        description: 'The direction in which the price must move.',
      }),
      priceUsd: t.exposeFloat('priceUsd', {
        nullable: true,
        description:
          'The price in USD at which the position can be liquidated, that of the other token ' +
          'unchanged. Null for a ratio, and without a price.',
      }),
      ratio: t.exposeFloat('ratio', {
        nullable: true,
        description:
          'The price in tokens of `against` at which the position can be liquidated. Null if ' +
          'the price counts in USD, and without a price.',
      }),
      change: t.exposeFloat('change', {
        description:
          'The change of the price until then, as a fraction: 0.05 is a rise by 5 %, -0.05 a ' +
          'fall by 5 %. Of the other sign if the position can be liquidated now.',
      }),
    }),
  })
}

/** The field of a row with the columns of `healthColumns`. */
export const liquidationTrigger = {
  type: 'LiquidationTrigger',
  nullable: true,
  description:
    'The move of a price that liquidates the position. Null if `healthFactor` is null or ' +
    '0, or if both sides have debt.',
  ...sqlFields.embedded(
    {
      chainId: 'chainId',
      address: 'triggerAddress',
      symbol: 'triggerSymbol',
      againstAddress: 'triggerAgainstAddress',
      againstSymbol: 'triggerAgainstSymbol',
      direction: 'triggerDirection',
      priceUsd: 'triggerPriceUsd',
      ratio: 'triggerRatio',
      change: 'triggerChange',
    },
    {},
    'triggerAddress',
  ),
} as const
