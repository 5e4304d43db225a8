import { type ReactNode, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Link, useLocation } from 'wouter'
import { AsOfDate, WhenDated } from './as-of.tsx'
import { AsOfControl, AsOfNotice } from './as-of-control.tsx'
import { Boundary } from './boundary.tsx'
import { useExactNumbers } from './exact-numbers.tsx'
import { useLive } from './live.tsx'
import { MyWallet } from './my-wallet.tsx'
import { operator } from './operator.ts'
import { Outage } from './outage.tsx'
import { SearchBox } from './search-box.tsx'
import { Tabs } from './tabs.tsx'

const VIEWS = [
  ['/', 'Overview'],
  ['/leaderboard', 'Leaderboard'],
  ['/boosts', 'Boosts'],
  ['/planner', 'Planner'],
  ['/rules', 'Rules'],
  ['/pools', 'Pools'],
  ['/vaults', 'Vaults'],
  ['/risk', 'Risk'],
  ['/distributions', 'Distributions'],
  ['/compare', 'Compare'],
  ['/status', 'Status'],
  ['/operate', 'Operate'],
] as const

/** The place in the bar for the tools of a page. */
const tools = document.getElementById('tools')

const isAt = (path: string, view: string) => (view === '/' ? path === view : path.startsWith(view))

/** The frame of all views: the menu, the search, and what happens to the data. */
export function Layout({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const { isExact, toggle } = useExactNumbers()
  const shownPath = useRef(path)
  useEffect(() => {
    if (shownPath.current !== path) scrollTo(0, 0)
    shownPath.current = path
  }, [path])
  return (
    <AsOfDate>
      {tools &&
        createPortal(
          <>
            {path !== '/' && <SearchBox />}
            <AsOfControl />
            <MyWallet />
            <button
              type="button"
              aria-pressed={isExact}
              aria-label="Exact numbers"
              title="Exact numbers: all digits"
              onClick={toggle}
            >
              <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
                <circle cx="2.5" cy="13.5" r="1.4" fill="currentColor" />
                <path
                  d="M5.5 6.25a2.25 2.25 0 0 1 4.5 0v5.5a2.25 2.25 0 0 1-4.5 0ZM12 6.25a2.25 2.25 0 0 1 4.5 0v5.5a2.25 2.25 0 0 1-4.5 0Z"
                  fill="none"
                  stroke="currentColor"
                  strokeWidth="1.6"
                />
              </svg>
            </button>
          </>,
          tools,
        )}
      <nav className="views" aria-label="Views">
        {VIEWS.map(([to, name]) => (
          <Link key={to} href={to} aria-current={isAt(path, to) ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <AsOfNotice />
      <LiveNotice />
      <main id="content" tabIndex={-1}>
        <Outage />
        <Boundary key={path}>
          <WhenDated>{children}</WhenDated>
        </Boundary>
      </main>
      <Tabs views={VIEWS} path={path} />
      {operator.links.length > 0 && (
        <footer>
          {operator.links.map(({ name, href }) => (
            <a key={href} href={href} rel="noreferrer">
              {name}
            </a>
          ))}
        </footer>
      )}
    </AsOfDate>
  )
}

function LiveNotice() {
  const { connected, message } = useLive()
  const [dismissed, setDismissed] = useState('')
  const text = connected
    ? message
    : 'The connection to the gateway is lost. Trying to connect again.'
  const isShown = text !== '' && text !== dismissed
  useEffect(() => {
    if (connected) setDismissed('')
  }, [connected])
  return (
    <div className="live" data-connected={connected}>
      <span role="status">{isShown && text}</span>
      {isShown && (
        <button type="button" aria-label="Dismiss" onClick={() => setDismissed(text)}>
          ×
        </button>
      )}
    </div>
  )
}
