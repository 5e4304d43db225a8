import type { LiquidationRewardRowFragment, MarketNameFragment, VaultNameFragment } from 'lending-graph-client'
import { EntityLink } from '../entity-link.tsx'
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
      market ? <Num value={liquidReward.value} unit="amount" suffix={market.assetSymbol} /> : <Unknown />,
  },
  { name: 'Reward value', numeric: true, cell: ({ liquidReward }) => <Num value={liquidReward.usd} unit="usd" /> },
  {
    name: 'Collateral received',
    numeric: true,
    cell: ({ collateralReceived }) => <Num value={collateralReceived.usd} unit="usd" />,
  },
  { name: 'Repaid', numeric: true, cell: ({ supplySent }) => <Num value={supplySent.usd} unit="usd" /> },
  {
    name: 'Claimed',
    cell: ({ claimedTimestamp: at }) => (at ? <Moment iso={new Date(Number(at) * 1000).toISOString()} /> : 'not yet'),
  },
]
