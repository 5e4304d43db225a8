import { createContext, type FormEvent, type ReactNode, useContext, useState } from 'react'
import { browserStorage } from './browser-storage.ts'
import { brief } from './format.ts'
import { visible } from './names.ts'

const KEY = 'dashboard:wallet-names'
/** The oldest names give way to new ones. */
const MAX_NAMES = 500
const MAX_LENGTH = 40

interface WalletNames {
  /** The name that the reader gave a wallet, or its address in short. */
  nameOf(address: string): string
  isNamed(address: string): boolean
  /** An empty name removes it. */
  rename(address: string, name: string): void
}

const NamesContext = createContext<WalletNames>({
  nameOf: brief,
  isNamed: () => false,
  rename() {},
})
export const useWalletNames = () => useContext(NamesContext)

/**
 * The names by address, the oldest first. Anything else in the browser's storage counts as no
 * names.
 */
function stored(): Map<string, string> {
  try {
    const entries: unknown = JSON.parse(browserStorage.get(KEY) ?? '[]')
    if (!Array.isArray(entries)) return new Map()
    const isName = (entry: unknown): entry is [string, string] =>
      Array.isArray(entry) && entry.length === 2 && entry.every((text) => typeof text === 'string')
    return new Map(entries.filter(isName))
  } catch {
    return new Map()
  }
}

/** Names of wallets, which this browser keeps and never sends. */
export function WalletNames({ children }: { children: ReactNode }) {
  const [names, setNames] = useState(stored)
  const rename = (address: string, name: string) => {
    const next = new Map(names)
    next.delete(address)
    if (name) next.set(address, name.slice(0, MAX_LENGTH))
    const kept = [...next].slice(-MAX_NAMES)
    browserStorage.set(KEY, JSON.stringify(kept))
    setNames(new Map(kept))
  }
  return (
    <NamesContext
      value={{
        nameOf: (address) => visible(names.get(address) ?? '') || brief(address),
        isNamed: (address) => visible(names.get(address) ?? '') !== '',
        rename,
      }}
    >
      {children}
    </NamesContext>
  )
}

/** Lets the reader name a wallet. */
export function WalletNameForm({ address }: { address: string }) {
  const { nameOf, isNamed, rename } = useWalletNames()
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
