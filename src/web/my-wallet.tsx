import { MyRankDocument } from 'lending-graph-client'
import { Link } from 'wouter'
import { usePast } from './as-of.tsx'
import { browserStorage, useStored } from './browser-storage.ts'
import { isAddress } from './format.ts'
import { WalletIcon } from './identity.tsx'
import { walletPath } from './paths.ts'
import { useGraph } from './use-graph.ts'
import { useWalletNames } from './wallet-names.tsx'

const KEY = 'dashboard:my-wallet'

/** The wallet that the reader starred as theirs, which this browser alone keeps. */
export function useMyWallet(): string | undefined {
  const text = useStored(KEY)
  return text && isAddress(text) ? text.toLowerCase() : undefined
}

/** Marks a wallet as the reader's, in place of any other, or takes the mark away. */
export function Star({ address }: { address: string }) {
  const isMine = useMyWallet() === address
  return (
    <button
      type="button"
      aria-pressed={isMine}
      title="Kept in this browser alone"
      onClick={() => browserStorage.set(KEY, isMine ? '' : address)}
    >
      <span aria-hidden="true">{isMine ? '★' : '☆'} </span>
      My wallet
    </button>
  )
}

/** The reader's wallet in the bar, with its rank. */
export function MyWallet() {
  const address = useMyWallet()
  return address ? <Badge address={address} /> : null
}

function Badge({ address }: { address: string }) {
  const { nameOf } = useWalletNames()
  const { asOf } = usePast()
  const user = useGraph(MyRankDocument, { address, ...(asOf && { asOf }) }).data?.user
  const rank = user && user.totalPoints > 0 ? user.rank : null
  return (
    <Link
      href={walletPath(address)}
      className="my-wallet"
      aria-label={`My wallet: ${nameOf(address)}${rank === null ? '' : `, rank ${rank}`}`}
      title={address}
    >
      <WalletIcon address={address} />
      <span>{rank === null ? '' : `#${rank.toLocaleString('en-US')}`}</span>
    </Link>
  )
}
