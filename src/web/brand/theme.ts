import { browserStorage } from '../browser-storage.ts'
// It colours the page.
import '../operator.ts'

const KEY = 'theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const GLYPHS: Record<Theme, string> = { system: '◐', light: '☀', dark: '☾' }

const system = matchMedia('(prefers-color-scheme: dark)')
const followers: ((isDark: boolean) => void)[] = []

/** The theme that this browser keeps: the system's, unless another was chosen. */
const stored = (): Theme => THEMES.find((theme) => theme === browserStorage.get(KEY)) ?? 'system'

function apply(): void {
  const theme = stored()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  for (const button of document.querySelectorAll<HTMLElement>('.bar .theme')) {
    button.hidden = false
    button.title = `Theme: ${theme}`
    button.ariaLabel = `Theme: ${theme}. Change it`
    button.textContent = GLYPHS[theme]
  }
  for (const follow of followers) follow(isDark())
}

function isDark(): boolean {
  const theme = stored()
  return theme === 'system' ? system.matches : theme === 'dark'
}

/** The theme after another: what the system does not show, then the other one, then the system's. */
function after(theme: Theme): Theme {
  const order: Theme[] = system.matches ? ['system', 'light', 'dark'] : ['system', 'dark', 'light']
  return order[(order.indexOf(theme) + 1) % order.length] ?? 'system'
}

/** Calls back now and at each change: for what the style sheet does not reach. */
export function followTheme(follow: (isDark: boolean) => void): void {
  followers.push(follow)
  follow(isDark())
}

document.querySelector('.bar .theme')?.addEventListener('click', () => {
  browserStorage.set(KEY, after(stored()))
  apply()
})
system.addEventListener('change', apply)
// Another page of the product changed it.
addEventListener('storage', apply)
apply()
