import type { LiquidationRewardRowFragment, MarketNameFragment, VaultNameFragment } from 'lending-graph-client'
import { EntityLink } from '../entity-link.tsx'
import { inTokens } from '../format.ts'
import type { Column } from '../table.tsx'
import { Moment, Num, Unknown } from '../values.tsx'

export type Reward = LiquidationRewardRowFragment & {
  collateralMarket?: MarketNameFragment | null
  vault?: VaultNameFragment | null
}

/** The columns of a reward. The token of a vault's reward is not stored, so it has no amount. */
export const rewardColumns: Column<Reward>[] = [
  {
    name: 'Time',
    heads: true,
    cell: ({ timestamp }) => <Moment iso={new Date(Number(timestamp) * 1000).toISOString()} />,
  },
  { name: 'Where', cell: ({ collateralMarket, vault }) => <EntityLink market={collateralMarket} vault={vault} /> },
  {
    name: 'Reward',
    numeric: true,
    cell: ({ liquidReward, collateralMarket: market }) =>
      market ? (
        <Num value={inTokens(liquidReward, market.assetDecimals)} unit="amount" suffix={market.assetSymbol} />
      ) : (
        <Unknown />
      ),
  },
  { name: 'Reward value', numeric: true, cell: ({ liquidRewardUsd }) => <Num value={liquidRewardUsd} unit="usd" /> },
  {
    name: 'Collateral received',
    numeric: true,
    cell: ({ collateralReceivedUsd }) => <Num value={collateralReceivedUsd} unit="usd" />,
  },
  { name: 'Repaid', numeric: true, cell: ({ supplySentUsd }) => <Num value={supplySentUsd} unit="usd" /> },
  {
    name: 'Claimed',
    cell: ({ claimedTimestamp: at }) => (at ? <Moment iso={new Date(Number(at) * 1000).toISOString()} /> : 'not yet'),
  },
]
