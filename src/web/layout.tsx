import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { Boundary } from './boundary.tsx'
import { useExactNumbers } from './exact-numbers.tsx'
import { useLive } from './live.tsx'

const VIEWS = [
  ['/', 'Leaderboard'],
  ['/pools', 'Pools'],
  ['/vaults', 'Vaults'],
  ['/distributions', 'Distributions'],
  ['/compare', 'Compare'],
  ['/status', 'Status'],
] as const

/** The frame of all views: the menu, the search, and what happens to the data. */
export function Layout({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const { isExact, toggle } = useExactNumbers()
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current !== path) scrollTo(0, 0)
    shown.current = path
  }, [path])
  const isCurrent = (to: string) => (to === '/' ? path === '/' : path.startsWith(to))
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <nav aria-label="Views">
          {VIEWS.map(([to, name]) => (
            <Link key={to} href={to} aria-current={isCurrent(to) ? 'page' : undefined}>
              {name}
            </Link>
          ))}
        </nav>
        <SearchForm />
        <nav aria-label="Other pages" className="others">
          <a href="/graphql">GraphiQL</a>
          <a href="/docs">Docs</a>
        </nav>
        <button type="button" aria-pressed={isExact} onClick={toggle}>
          Exact numbers
        </button>
      </header>
      <LiveNotice />
      <main id="content" tabIndex={-1}>
        <Boundary key={path}>{children}</Boundary>
      </main>
    </>
  )
}

function SearchForm() {
  const [path, navigate] = useLocation()
  const [parameters] = useSearchParams()
  const text = path === '/search' ? (parameters.get('q') ?? '') : ''
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const wanted = String(new FormData(event.currentTarget).get('q')).trim()
    if (wanted) navigate(`/search?${new URLSearchParams({ q: wanted })}`)
  }
  return (
    <search>
      <form key={text} onSubmit={search}>
        <input
          type="search"
          name="q"
          aria-label="Search wallets, pools, markets and vaults"
          placeholder="Address, pool, token"
          defaultValue={text}
          maxLength={100}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  )
}

function LiveNotice() {
  const { connected, message } = useLive()
  return (
    <p className="live" role="status" data-connected={connected}>
      {connected ? message : 'The connection to the gateway is lost. Trying to connect again.'}
    </p>
  )
}
