import { brief } from './format.ts'
import { WalletIcon } from './identity.tsx'
import { useMyWallet } from './my-wallet.tsx'
import { recentWallets } from './recent-wallets.ts'
import { useWalletNames } from './wallet-names.tsx'

/** A wallet that this browser knows, and why. */
interface KnownWallet {
  address: string
  why: 'my wallet' | 'named' | 'recent'
}

/**
 * The wallets of this browser whose name has a text in it, or whose address begins with it: the
 * starred one, the named ones, then those that were opened last.
 */
export function useKnownWallets(): (text: string) => KnownWallet[] {
  const mine = useMyWallet()
  const { names, nameOf } = useWalletNames()
  return (text) => {
    const known = new Map<string, KnownWallet['why']>()
    if (mine) known.set(mine, 'my wallet')
    for (const address of [...names.keys()].reverse())
      if (!known.has(address)) known.set(address, 'named')
    for (const address of recentWallets()) if (!known.has(address)) known.set(address, 'recent')
    const wanted = text.trim().toLowerCase()
    return [...known]
      .map(([address, why]) => ({ address, why }))
      .filter(
        ({ address }) =>
          address.startsWith(wanted) || nameOf(address).toLowerCase().includes(wanted),
      )
  }
}

/** A wallet among suggestions. */
export function WalletSuggestion({ address, why }: { address: string; why: string }) {
  const { nameOf, isNamed } = useWalletNames()
  return (
    <>
      <WalletIcon address={address} />{' '}
      <span className={isNamed(address) ? 'name' : 'hex'}>{nameOf(address)}</span>{' '}
      <small>{isNamed(address) ? `${brief(address)} · ${why}` : why}</small>
    </>
  )
}
