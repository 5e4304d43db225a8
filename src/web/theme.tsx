import { useState } from 'react'
import { browserStorage } from './browser-storage.ts'

const KEY = 'theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const GLYPHS: Record<Theme, string> = { system: '◐', light: '☀', dark: '☾' }

/** The theme that this browser keeps: the system's, unless another was chosen. */
const stored = (): Theme => THEMES.find((theme) => theme === browserStorage.get(KEY)) ?? 'system'

function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

apply(stored())

/** The theme after another: what the system does not show, then the other one, then the system's. */
function after(theme: Theme): Theme {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  const order: Theme[] = isDark ? ['system', 'light', 'dark'] : ['system', 'dark', 'light']
  return order[(order.indexOf(theme) + 1) % order.length] ?? 'system'
}

/** Chooses light, dark, or what the system prefers. */
export function ThemeChoice() {
  const [theme, setTheme] = useState(stored)
  const choose = () => {
    const next = after(theme)
    apply(next)
    browserStorage.set(KEY, next)
    setTheme(next)
  }
  return (
    <button
      type="button"
      onClick={choose}
      title={`Theme: ${theme}`}
      aria-label={`Theme: ${theme}. Change it`}
    >
      <span aria-hidden="true">{GLYPHS[theme]}</span>
    </button>
  )
}
