/**
 * Chains by id: their names, and the block explorers that addresses lead to. Others are shown by
 * their number.
 */
export const CHAINS: Readonly<Record<number, { name: string; explorer: string }>> = {
  1: { name: 'Ethereum', explorer: 'https://etherscan.io' },
  10: { name: 'Optimism', explorer: 'https://optimistic.etherscan.io' },
  56: { name: 'BNB Chain', explorer: 'https://bscscan.com' },
  137: { name: 'Polygon', explorer: 'https://polygonscan.com' },
  146: { name: 'Sonic', explorer: 'https://sonicscan.org' },
  8453: { name: 'Base', explorer: 'https://basescan.org' },
  42161: { name: 'Arbitrum', explorer: 'https://arbiscan.io' },
  43114: { name: 'Avalanche', explorer: 'https://snowtrace.io' },
}

export const chainName = (id: number) => CHAINS[id]?.name ?? `Chain ${id}`
export const explorerOf = (id: number) => CHAINS[id]?.explorer
