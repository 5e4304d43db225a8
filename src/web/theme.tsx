import { useState } from 'react'

const KEY = 'theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const GLYPHS: Record<Theme, string> = { system: '◐', light: '☀', dark: '☾' }

/** The theme that this browser keeps. Storage that is switched off means the system's. */
function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    return 'system'
  }
}

function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

apply(stored())

/** Chooses light, dark, or what the system prefers. */
export function ThemeChoice() {
  const [theme, setTheme] = useState(stored)
  const choose = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
    apply(next)
    try {
      localStorage.setItem(KEY, next)
    } catch {
      // The theme lasts as long as the page.
    }
    setTheme(next)
  }
  return (
    <button type="button" onClick={choose} title={`Theme: ${theme}`} aria-label={`Theme: ${theme}. Change it`}>
      <span aria-hidden="true">{GLYPHS[theme]}</span>
    </button>
  )
}
