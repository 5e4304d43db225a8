import { browserStorage } from './browser-storage.ts'
import { isAddress } from './format.ts'

const KEY = 'dashboard:recent-wallets'
const MAX_WALLETS = 8

/** The wallets that were opened last in this browser, the newest first. */
export const recentWallets = (): string[] =>
  (browserStorage.get(KEY) ?? '').split(' ').filter(isAddress).slice(0, MAX_WALLETS)

/** Notes that a wallet was opened. */
export function noteWallet(address: string): void {
  const others = recentWallets().filter((one) => one !== address)
  browserStorage.set(KEY, [address, ...others].slice(0, MAX_WALLETS).join(' '))
}
