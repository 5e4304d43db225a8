import { useEffect, useState } from 'react'

const WAIT_MS = 150

/** The text as it was when it last stood still: what someone types is not searched by each key. */
export function useLater(text: string): string {
  const [later, setLater] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), WAIT_MS)
    return () => clearTimeout(timer)
  }, [text])
  return later
}
