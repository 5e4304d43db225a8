import type { UserSummaryFragment } from 'lending-graph-client'

/** A wallet's earnings and rates, where anything is stored that they are of: without that, 0 would be wrong. */
export const knownNumbers = ({ worth, earnings, netApr }: UserSummaryFragment) => ({
  earningsUsd: worth ? earnings.earningsUsd : null,
  netDepositApr: netApr.depositUsd > 0 ? netApr.netDepositApr : null,
  netBorrowApr: netApr.borrowedUsd > 0 ? netApr.netBorrowApr : null,
})
