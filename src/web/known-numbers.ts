import type { UserSummaryFragment } from 'lending-graph-client'

/**
 * A wallet's earnings and rates, where anything is stored that they are of: without that, 0 would
 * be wrong.
 */
export const knownNumbers = ({
  worth,
  earnings,
  netApr,
}: Pick<UserSummaryFragment, 'worth' | 'earnings' | 'netApr'>) => {
  const { withoutRates } = netApr
  const hasRate = (usd: 'depositUsd' | 'borrowedUsd') =>
    netApr[usd] > 0 && withoutRates.reduce((sum, one) => sum + one[usd], 0) < netApr[usd]
  return {
    profitUsd: worth ? earnings.profitUsd : null,
    netDepositApr: hasRate('depositUsd') ? netApr.netDepositApr : null,
    netBorrowApr: hasRate('borrowedUsd') ? netApr.netBorrowApr : null,
    /** The markets and vaults that the averages leave out. */
    withoutRates: withoutRates.length,
  }
}
