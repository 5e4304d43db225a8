/** The paths of pages. */
export const walletPath = (address: string) => `/wallets/${address}`
export const poolPath = (address: string) => `/pools/${address}`
export const vaultPath = ({ chainId, address }: { chainId: number | string; address: string }) =>
  `/vaults/${chainId}/${address}`

/** The prefix of the gateway's paths: scripts are at PREFIX/dashboard/assets. */
const basePath = new URL('../..', import.meta.url).pathname.slice(0, -1)

/** The URL of one of the gateway's paths. */
export const served = (path: string) => basePath + path
