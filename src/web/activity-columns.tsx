import type { ActivityKind, ActivityRowFragment } from 'lending-graph-client'
import { EntityLink } from './entity-link.tsx'
import type { Column } from './table.tsx'
import { Moment, Num } from './values.tsx'

export const KINDS: Record<ActivityKind, string> = {
  DEPOSIT: 'Deposit',
  WITHDRAW: 'Withdrawal',
  BORROW: 'Borrowing',
  REPAY: 'Repayment',
  LIQUIDATION: 'Liquidation',
  LIQUIDATION_REWARD: 'Liquidation reward',
}

/** The columns of activity: when, what, how much and where. */
export const activityColumns: Column<ActivityRowFragment>[] = [
  {
    name: 'Time, UTC',
    key: 'Time',
    heads: true,
    cell: ({ time }) => <Moment iso={time} isBrief />,
  },
  { name: 'What', cell: ({ kind }) => KINDS[kind] },
  {
    name: 'Amount',
    numeric: true,
    cell: ({ amount, asset }) => <Num value={amount.value} unit="amount" suffix={asset?.symbol} />,
  },
  { name: 'Value', numeric: true, cell: ({ amount }) => <Num value={amount.usd} unit="usd" /> },
  {
    name: 'Where',
    cell: ({ entity, entityAddress }) => <EntityLink entity={entity} address={entityAddress} />,
  },
]
