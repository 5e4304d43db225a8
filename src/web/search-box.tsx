import { SearchDocument, type SearchQuery } from 'lending-graph-client'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { chainName } from './chains.ts'
import { Combobox, type Option } from './combobox.tsx'
import { TokenIcons } from './identity.tsx'
import { useKnownWallets, WalletSuggestion } from './known-wallets.tsx'
import { Name, TokenSymbol } from './name.tsx'
import { pastedAddress } from './pasted-address.ts'
import { poolPath, vaultPath, walletPath } from './paths.ts'
import { useGraph } from './use-graph.ts'
import { useLater } from './use-later.ts'

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
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => setText(onPage), [onPage])
  useEffect(() => focusBySlash(field), [])
  const typed = pastedAddress(text) ?? text.trim()
  const wanted = useLater(typed)
  const isSearched = isOpen && wanted.length > 1
  const { data, fetching } = useGraph(
    SearchDocument,
    { text: wanted.slice(0, 100), first: SUGGESTIONS },
    { pause: !isSearched },
  )
  const known = useKnownWallets()(typed)
  const goTo = (to: string) => {
    field.current?.blur()
    navigate(to)
  }
  const ofWallets: Option[] = (typed ? known : []).map((wallet) => ({
    key: wallet.address,
    content: <WalletSuggestion {...wallet} />,
    choose: () => goTo(walletPath(wallet.address)),
  }))
  const found = isSearched ? (data?.search.map(({ item }) => item) ?? []) : []
  const ofGraph: Option[] = found
    .filter(({ address }) => !known.some((one) => one.address === address))
    .map((item) => ({
      key: item.id,
      content: <Suggestion item={item} />,
      choose: () => goTo(placeOf(item)),
    }))
  const enter = () => {
    const [only, more] = typed ? known : []
    if (only && !more && found.length === 0 && only.why !== 'recent') goTo(walletPath(only.address))
    else if (typed) goTo(`/search?${new URLSearchParams({ q: typed.slice(0, 100) })}`)
  }
  return (
    <search>
      <Combobox
        label={NAME}
        placeholder="Wallet, pool, token or vault"
        type="search"
        text={text}
        onText={setText}
        options={[...ofWallets, ...ofGraph].slice(0, SUGGESTIONS)}
        note={isSearched && wanted === typed && data && !fetching && `Nothing matches “${typed}”.`}
        onEnter={enter}
        onOpen={setOpen}
        fieldRef={field}
        button={withButton ? 'Search' : undefined}
        icon={
          <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <circle cx="7" cy="7" r="5" fill="none" stroke="currentColor" strokeWidth="1.6" />
            <path
              d="m11 11 3.5 3.5"
              stroke="currentColor"
              strokeWidth="1.6"
              strokeLinecap="round"
            />
          </svg>
        }
      />
    </search>
  )
}

function Suggestion({ item }: { item: Item }) {
  if (item.__typename === 'User') return <WalletSuggestion address={item.address} why="wallet" />
  if (item.__typename === 'Pool')
    return (
      <>
        <TokenIcons tokens={[item.assetA, item.assetB]} />{' '}
        <Name kind="pool" name={item.displayName} address={item.address} />{' '}
        <small>pool · {chainName(item.chainId)}</small>
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
      <small>
        {item.__typename.toLowerCase()} · {chainName(item.chainId)}
      </small>
    </>
  )
}

function placeOf(item: Item): string {
  if (item.__typename === 'User') return walletPath(item.address)
  if (item.__typename === 'Pool') return poolPath(item.address)
  if (item.__typename === 'Vault') return vaultPath(item)
  return item.pool ? poolPath(item.pool.address) : `/search?q=${item.address}`
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
