import { useState } from 'react'
import { Link } from 'wouter'
import { served } from './paths.ts'

interface TabsProps {
  /** All views of the menu: their paths and names. */
  views: readonly (readonly [path: string, name: string])[]
  /** The path of the present view. */
  path: string
}

const TABS = [
  ['/', 'Home', 'M3 11 12 4l9 7v9h-6v-6H9v6H3Z'],
  ['/leaderboard', 'Ranks', 'M4 20v-7h4v7ZM10 20V5h4v15ZM16 20v-10h4v10Z'],
  ['/pools', 'Pools', 'M9 4a7 7 0 1 0 0 14A7 7 0 0 0 9 4ZM15 6a7 7 0 1 1 0 14'],
  ['/risk', 'Risk', 'M12 4 22 20H2ZM12 10v5M12 17v1'],
] as const

const MORE = 'M5 12h.01M12 12h.01M19 12h.01'

const Glyph = ({ path }: { path: string }) => (
  <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
)

/** The menu of a phone: the views that people open most, and the others behind the last tab. */
export function Tabs({ views, path }: TabsProps) {
  const [isOpen, setOpen] = useState(false)
  const isAt = (to: string) => (to === '/' ? path === '/' : path.startsWith(to))
  const close = () => setOpen(false)
  const others = views.filter(([to]) => !TABS.some(([tab]) => tab === to))
  return (
    <nav className="tabs" aria-label="Main views">
      {isOpen && (
        <div className="tabs-more">
          {others.map(([to, name]) => (
            <Link key={to} href={to} onClick={close} aria-current={isAt(to) ? 'page' : undefined}>
              {name}
            </Link>
          ))}
          <a href={served('/graphql')}>GraphiQL</a>
          <a href={served('/docs')}>Docs</a>
        </div>
      )}
      {TABS.map(([to, name, glyph]) => (
        <Link key={to} href={to} onClick={close} aria-current={isAt(to) ? 'page' : undefined}>
          <Glyph path={glyph} />
          {name}
        </Link>
      ))}
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Glyph path={MORE} />
        More
      </button>
    </nav>
  )
}
