import { createContext, type ReactNode, useContext, useState } from 'react'
import { browserStorage } from './browser-storage.ts'

interface Exactness {
  isExact: boolean
  toggle(): void
}

const ExactContext = createContext<Exactness>({ isExact: false, toggle() {} })
/** True if numbers are shown with all their digits, for those who cannot hover. */
export const useExactNumbers = () => useContext(ExactContext)

const KEY = 'dashboard:exact-numbers'

export function ExactNumbers({ children }: { children: ReactNode }) {
  const [isExact, setExact] = useState(() => browserStorage.get(KEY) === 'yes')
  const toggle = () => {
    browserStorage.set(KEY, isExact ? 'no' : 'yes')
    setExact(!isExact)
  }
  return <ExactContext value={{ isExact, toggle }}>{children}</ExactContext>
}
