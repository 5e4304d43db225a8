/** The paths of pages. */
export const walletPath = (address: string) => `/wallets/${address}`
export const poolPath = (address: string) => `/pools/${address}`
export const vaultPath = ({ chainId, address }: { chainId: number | string; address: string }) =>
  `/vaults/${chainId}/${address}`
