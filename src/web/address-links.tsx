import { type ReactNode, useState } from 'react'
import { chainName, explorerOf } from './chains.ts'

interface AddressLinksProps {
  /** Absent if the address is not one chain's. */
  chainId?: number
  address: string
  /** Links of the page. */
  children?: ReactNode
}

const COPIED_MS = 1500

/** Copies an address, and leads to its block explorer. */
export function AddressLinks({ chainId, address, children }: AddressLinksProps) {
  const [copied, setCopied] = useState(false)
  const explorer = chainId === undefined ? undefined : explorerOf(chainId)
  const copy = async () => {
    const isDone = await navigator.clipboard.writeText(address).then(
      () => true,
      () => false,
    )
    setCopied(isDone)
    setTimeout(() => setCopied(false), COPIED_MS)
  }
  return (
    <div className="links">
      {chainId !== undefined && (
        <>
          <span className="chip">{chainName(chainId)}</span>
          <span className="hex">{address}</span>
        </>
      )}
      {/* Pages that do not come over TLS have no clipboard. */}
      {'clipboard' in navigator && (
        <button type="button" onClick={copy}>
          {copied ? 'Copied' : 'Copy address'}
        </button>
      )}
      {explorer && (
        <a href={`${explorer}/address/${address}`} rel="noreferrer" target="_blank">
          Explorer
        </a>
      )}
      {children}
    </div>
  )
}
