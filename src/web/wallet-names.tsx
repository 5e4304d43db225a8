import { type FormEvent, useMemo, useState } from 'react'
import { browserStorage, useStored } from './browser-storage.ts'
import { brief } from './format.ts'
import { visible } from './names.ts'

const KEY = 'dashboard:wallet-names'
/** The oldest names give way to new ones. */
const MAX_NAMES = 500
const MAX_LENGTH = 40

interface WalletNames {
  /** The visible names by address, the oldest first. */
  names: ReadonlyMap<string, string>
  /** The name that the reader gave a wallet, or its address in short. */
  nameOf(address: string): string
  isNamed(address: string): boolean
  /** An empty name removes it. */
  rename(address: string, name: string): void
}

/**
 * The names by address, the oldest first. Anything else in the browser's storage counts as no
 * names.
 */
function read(text: string | undefined): Map<string, string> {
  try {
    const entries: unknown = JSON.parse(text ?? '[]')
    if (!Array.isArray(entries)) return new Map()
    const isName = (entry: unknown): entry is [string, string] =>
      Array.isArray(entry) && entry.length === 2 && entry.every((text) => typeof text === 'string')
    return new Map(entries.filter(isName))
  } catch {
    return new Map()
  }
}

function rename(address: string, name: string): void {
  const next = read(browserStorage.get(KEY))
  next.delete(address)
  if (name) next.set(address, name.slice(0, MAX_LENGTH))
  browserStorage.set(KEY, JSON.stringify([...next].slice(-MAX_NAMES)))
}

/** Names of wallets, which this browser keeps and never sends. */
export function useWalletNames(): WalletNames {
  const text = useStored(KEY)
  const names = useMemo(() => {
    const seen = [...read(text)].map(([address, name]) => [address, visible(name)] as const)
    return new Map(seen.filter(([, name]) => name !== ''))
  }, [text])
  return {
    names,
    nameOf: (address) => names.get(address) ?? brief(address),
    isNamed: (address) => names.has(address),
    rename,
  }
}

/** Lets the reader name a wallet. */
export function WalletNameForm({ address }: { address: string }) {
  const { nameOf, isNamed } = useWalletNames()
  const [isOpen, setOpen] = useState(false)
  if (!isOpen)
    return (
      <button type="button" onClick={() => setOpen(true)}>
        {isNamed(address) ? 'Rename' : 'Name it'}
      </button>
    )
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    rename(address, String(new FormData(event.currentTarget).get('name')).trim())
    setOpen(false)
  }
  return (
    <form className="inline" onSubmit={save}>
      <input
        name="name"
        aria-label="Name of this wallet, kept in this browser"
        placeholder="A name for this browser"
        defaultValue={isNamed(address) ? nameOf(address) : ''}
        maxLength={MAX_LENGTH}
        // biome-ignore lint/a11y/noAutofocus: the reader has asked for this field
        autoFocus
      />
      <button type="submit">Save</button>
    </form>
  )
}
