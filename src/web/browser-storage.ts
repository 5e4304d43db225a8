import { useSyncExternalStore } from 'react'

/** Values that the browser did not keep last as long as the page. */
const ofPage = new Map<string, string>()
const listeners = new Set<() => void>()
const changed = () => {
  for (const listener of listeners) listener()
}
// Another window of this browser has changed it.
addEventListener('storage', changed)

/** The storage of this browser. If it is switched off it lasts as long as the page. */
export const browserStorage = {
  get(key: string): string | undefined {
    try {
      return localStorage.getItem(key) ?? ofPage.get(key)
    } catch {
      return ofPage.get(key)
    }
  },
  set(key: string, value: string): void {
    try {
      localStorage.setItem(key, value)
    } catch {
      ofPage.set(key, value)
    }
    changed()
  },
}

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** A value of this browser's storage, as it is now. */
export const useStored = (key: string): string | undefined =>
  useSyncExternalStore(onChange, () => browserStorage.get(key))
