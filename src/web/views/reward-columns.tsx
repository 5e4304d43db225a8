import type { LiquidationRewardRowFragment } from 'lending-graph-client'
import { EntityLink } from '../entity-link.tsx'
import type { Column } from '../table.tsx'
import { Moment, Num, Unknown } from '../values.tsx'

/** The columns of a reward. The token of a vault's reward is not stored, so it has no amount. */
export const rewardColumns: Column<LiquidationRewardRowFragment>[] = [
  {
    name: 'Time',
    heads: true,
    cell: ({ time }) => <Moment iso={time} />,
  },
  {
    name: 'Where',
    cell: ({ entity, entityAddress }) => <EntityLink entity={entity} address={entityAddress} />,
  },
  {
    name: 'Reward',
    numeric: true,
    cell: ({ liquidReward, entity }) =>
      entity?.__typename === 'Market' ? (
        <Num value={liquidReward.value} unit="amount" suffix={entity.asset.symbol} />
      ) : (
        <Unknown />
      ),
  },
  {
    name: 'Reward value',
    numeric: true,
    cell: ({ liquidReward }) => <Num value={liquidReward.usd} unit="usd" />,
  },
  {
    name: 'Collateral received',
    numeric: true,
    cell: ({ collateralReceived }) => <Num value={collateralReceived.usd} unit="usd" />,
  },
  {
    name: 'Repaid',
    numeric: true,
    cell: ({ supplySent }) => <Num value={supplySent.usd} unit="usd" />,
  },
  {
    name: 'Claimed',
    cell: ({ claimedAt }) => (claimedAt ? <Moment iso={claimedAt} /> : 'not yet'),
  },
]
