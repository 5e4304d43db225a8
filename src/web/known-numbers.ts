import type { UserSummaryFragment } from 'lending-graph-client'

type Numbers = Pick<UserSummaryFragment, 'worth' | 'earnings' | 'netApr'>

/**
 * A wallet's earnings and rates, where anything is stored that they are of: without that, 0 would
 * be wrong.
 */
export const knownNumbers = (user: Numbers) => {
  const { worth, earnings, netApr } = user
  const { withoutRates } = netApr
  const hasRate = (usd: 'depositUsd' | 'borrowedUsd') =>
    netApr[usd] > 0 && withoutRates.reduce((sum, one) => sum + one[usd], 0) < netApr[usd]
  return {
    profitUsd: worth ? earnings.profitUsd : null,
    netApy: whyNoNetApy(user) ? null : netApyOf(user),
    netDepositApr: hasRate('depositUsd') ? netApr.netDepositApr : null,
    netBorrowApr: hasRate('borrowedUsd') ? netApr.netBorrowApr : null,
    /** The markets and vaults that the averages leave out. */
    withoutRates: withoutRates.length,
  }
}

/** The interest of a year on deposits, less that on debt, as a part of the net worth. */
const netApyOf = ({ worth, netApr }: Omit<Numbers, 'earnings'>) =>
  (netApr.depositUsd * netApr.netDepositApr - netApr.borrowedUsd * netApr.netBorrowApr) /
  (worth?.netUsd ?? 0)

/** Says why a wallet has no net APY. Undefined if it has one. */
export function whyNoNetApy({ worth, netApr }: Omit<Numbers, 'earnings'>): string | undefined {
  if (!worth) return 'not known'
  if (worth.netUsd <= 0) return 'the net worth is not above 0'
  if (worth.hasIncompletePrices) return 'an amount has no price'
  if (netApr.withoutRates.some((one) => one.depositUsd + one.borrowedUsd > 0))
    return 'a rate is not known'
  return undefined
}
