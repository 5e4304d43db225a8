const address = { name: 'address', description: 'The address of the wallet.', required: true }

/** Questions that a client offers its users, as clients list them. */
export const PROMPTS = [
  {
    name: 'wallet_report',
    title: 'Report on a wallet',
    description: 'Rank, points, earnings and risks of a wallet, in plain words.',
    arguments: [address],
  },
  {
    name: 'price_fall',
    title: 'If a token falls',
    description: 'Who is liquidated if a token and those that move with it fall.',
    arguments: [
      { name: 'token', description: 'The symbol of the token, such as ETH.', required: true },
      { name: 'percent', description: 'By how many percent it falls.', required: true },
    ],
  },
]

/** The text of a prompt. Undefined if there is none of this name. */
export function promptText(name: string, sent: Record<string, string>): string | undefined {
  const value = (key: string) => (sent[key] ?? '').replace(/\s+/g, ' ').slice(0, 100)
  if (name === 'wallet_report')
    return (
      `Report on the wallet ${value('address')}: call wallet_standing, wallet_earnings and ` +
      'wallet_holdings. Say where it stands and why, what it has earned and with what, and ' +
      'whether a position is near liquidation. Name the date of the data.'
    )
  if (name === 'price_fall')
    return (
      `Say what happens if ${value('token')} falls by ${value('percent')} %: find it with tokens, ` +
      'and call price_change_totals and positions_hit_by_price_change with its `movesWith` as ' +
      '`group`, or if that is null its address as `asset`, and the change as a fraction below 0. ' +
      'Name the sums, the pools, and the wallets with the most debt.'
    )
  return undefined
}
