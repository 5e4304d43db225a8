import { SearchDocument, type SearchQuery } from 'lending-graph-client'
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { brief } from './format.ts'
import { TokenIcons, WalletIcon } from './identity.tsx'
import { Name, TokenSymbol } from './name.tsx'
import { poolPath, vaultPath, walletPath } from './paths.ts'
import { useGraph } from './use-graph.ts'

const WAIT_MS = 150
const SUGGESTIONS = 6
const NAME = 'Search wallets, pools, markets and vaults'

type Item = SearchQuery['search'][number]['item']

/**
 * Searches while one types: the best matches below the field, all of them on a page. `/` leads to
 * it from anywhere.
 */
export function SearchBox({ withButton = false }: { withButton?: boolean }) {
  const [path, navigate] = useLocation()
  const [parameters] = useSearchParams()
  const onPage = path === '/search' ? (parameters.get('q') ?? '') : ''
  const [text, setText] = useState(onPage)
  const [isOpen, setOpen] = useState(false)
  const [current, setCurrent] = useState(-1)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => setText(onPage), [onPage])
  useEffect(() => focusBySlash(field), [])
  const wanted = useLater(text.trim(), WAIT_MS)
  const { data } = useGraph(
    SearchDocument,
    { text: wanted, first: SUGGESTIONS },
    { pause: !isOpen || wanted.length < 2 },
  )
  const items = isOpen && wanted.length > 1 ? (data?.search.map(({ item }) => item) ?? []) : []

  const goTo = (to: string) => {
    setOpen(false)
    setCurrent(-1)
    field.current?.blur()
    navigate(to)
  }
  const search = (event: FormEvent) => {
    event.preventDefault()
    const item = items[current]
    if (item) goTo(placeOf(item))
    else if (text.trim()) goTo(`/search?${new URLSearchParams({ q: text.trim() })}`)
  }
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && items.length > 0) {
      event.preventDefault()
      setCurrent((at) => (at + step + items.length + 1) % (items.length + 1))
    } else if (event.key === 'Escape') setOpen(false)
  }
  return (
    <search>
      <form className="search" onSubmit={search}>
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="7" cy="7" r="5" fill="none" stroke="currentColor" strokeWidth="1.6" />
          <path d="m11 11 3.5 3.5" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
        </svg>
        <input
          ref={field}
          type="search"
          name="q"
          role="combobox"
          aria-label={NAME}
          aria-expanded={items.length > 0}
          aria-controls={`${id}list`}
          aria-autocomplete="list"
          aria-activedescendant={items[current] && `${id}${current}`}
          placeholder="Wallet, pool, token or vault"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setOpen(true)
            setCurrent(-1)
          }}
          onKeyDown={move}
          onBlur={() => setOpen(false)}
        />
        {withButton && <button type="submit">Search</button>}
        <div
          className="suggestions"
          id={`${id}list`}
          role="listbox"
          aria-label="Suggestions"
          hidden={items.length === 0}
        >
          {items.map((item, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys of the list
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the option
            <div
              key={item.id}
              id={`${id}${i}`}
              role="option"
              aria-selected={i === current}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => goTo(placeOf(item))}
            >
              <Suggestion item={item} />
            </div>
          ))}
        </div>
      </form>
    </search>
  )
}

function Suggestion({ item }: { item: Item }) {
  if (item.__typename === 'User')
    return (
      <>
        <WalletIcon address={item.address} /> <span className="hex">{brief(item.address)}</span>{' '}
        <small>wallet</small>
      </>
    )
  if (item.__typename === 'Pool')
    return (
      <>
        <Name kind="pool" name={item.displayName} address={item.address} /> <small>pool</small>
      </>
    )
  const { asset } = item
  return (
    <>
      <TokenIcons tokens={[asset]} />{' '}
      {item.__typename === 'Vault' ? (
        <Name kind="vault" name={item.name} address={item.address} />
      ) : (
        <>
          <TokenSymbol token={asset} />
          {item.pool && ` in ${item.pool.displayName}`}
        </>
      )}{' '}
      <small>{item.__typename.toLowerCase()}</small>
    </>
  )
}

function placeOf(item: Item): string {
  if (item.__typename === 'User') return walletPath(item.address)
  if (item.__typename === 'Pool') return poolPath(item.address)
  if (item.__typename === 'Vault') return vaultPath(item)
  return item.pool ? poolPath(item.pool.address) : `/search?q=${item.address}`
}

/** The value as it was when it last stood still for some time. */
function useLater(value: string, ms: number): string {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return later
}

function focusBySlash(field: { current: HTMLInputElement | null }): () => void {
  const onKey = (event: globalThis.KeyboardEvent) => {
    const isTyping =
      event.target instanceof Element && event.target.closest('input, select, textarea')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.current?.focus()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
