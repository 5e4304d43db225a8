import { SearchDocument } from 'lending-graph-client'
import { useState } from 'react'
import { Combobox } from './combobox.tsx'
import { useKnownWallets, WalletSuggestion } from './known-wallets.tsx'
import { pastedAddress } from './pasted-address.ts'
import { useGraph } from './use-graph.ts'
import { useLater } from './use-later.ts'
import { useWalletNames } from './wallet-names.tsx'

const SUGGESTIONS = 6
/** The beginning of an address. */
const PREFIX = /^0x[0-9a-f]{2,39}$/i

interface WalletFieldProps {
  label: string
  button: string
  /** The address that the field begins with. */
  value?: string | undefined
  onWallet(address: string): void
}

/**
 * Takes a wallet: its address, the beginning of one, a link to it, or the name that the reader gave
 * it. The text stays if no wallet has it.
 */
export function WalletField({ label, button, value = '', onWallet }: WalletFieldProps) {
  const { nameOf, isNamed } = useWalletNames()
  const shown = isNamed(value) ? nameOf(value) : value
  const [text, setText] = useState(shown)
  const [refused, setRefused] = useState<string>()
  const known = useKnownWallets()(text === shown ? '' : text)
  const prefix = useLater(PREFIX.test(text.trim()) ? text.trim() : '')
  const { data } = useGraph(
    SearchDocument,
    { text: prefix, first: SUGGESTIONS },
    { pause: prefix === '' },
  )
  const found = prefix === '' ? [] : (data?.search.map(({ item }) => item) ?? [])
  const others = found
    .filter(({ __typename }) => __typename === 'User')
    .filter(({ address }) => !known.some((one) => one.address === address))
    .map(({ address }) => ({ address, why: 'wallet' }))
  const wallets = [...known, ...others].slice(0, SUGGESTIONS)
  const take = (address: string) => {
    // A field that begins empty takes one wallet after the other.
    setText(address === value ? shown : '')
    setRefused(undefined)
    onWallet(address)
  }
  const enter = () => {
    const only = text.trim() && wallets.length === 1 ? wallets[0]?.address : undefined
    const kept = text === shown ? value : undefined
    const address = pastedAddress(text) ?? (kept || only)
    if (address) take(address)
    else setRefused(text.trim())
  }
  return (
    <div className="wallet-field">
      <Combobox
        label={label}
        hasVisibleLabel
        placeholder="Address, link or name"
        text={text}
        onText={(next) => {
          setText(next)
          setRefused(undefined)
        }}
        options={wallets.map(({ address, why }) => ({
          key: address,
          content: <WalletSuggestion address={address} why={why} />,
          choose: () => take(address),
        }))}
        onEnter={enter}
        button={button}
      />
      {refused !== undefined && (
        <p className="refused" role="alert">
          {refusal(refused, wallets.length)}
        </p>
      )}
    </div>
  )
}

/** Says why a text names no wallet, and which texts do. */
function refusal(text: string, matches: number): string {
  if (text === '') return 'Type an address, a link to it, or a name that you gave a wallet.'
  if (matches > 1) return `“${text}” matches several wallets: choose one of them.`
  return (
    `No wallet has the name or address “${text}”. An address has 0x and 40 hexadecimal digits; ` +
    'names are those that you gave in this browser.'
  )
}
