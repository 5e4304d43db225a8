/** The storage of this browser. If it is switched off it keeps nothing. */
export const browserStorage = {
  get(key: string): string | undefined {
    try {
      return localStorage.getItem(key) ?? undefined
    } catch {
      return undefined
    }
  },
  set(key: string, value: string): void {
    try {
      localStorage.setItem(key, value)
    } catch {
      // The value lasts as long as the page.
    }
  },
}
