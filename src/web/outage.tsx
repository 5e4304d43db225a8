import { useEffect, useSyncExternalStore } from 'react'

interface Report {
  text: string
  retry: (() => void) | undefined
}

/** The reports of the sections of the page: that the gateway, and not their own question, is at fault. */
let reports: readonly Report[] = []
const listeners = new Set<() => void>()

function change(next: readonly Report[]) {
  reports = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Reports an outage for as long as a section has it. */
export function useOutage(text: string | undefined, retry: (() => void) | undefined) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the way to retry is new at each render
  useEffect(() => {
    if (!text) return undefined
    const report = { text, retry }
    change([...reports, report])
    return () => change(reports.filter((one) => one !== report))
  }, [text])
}

/** One sentence for all sections that wait for the gateway, and a way to try all of them again. */
export function Outage() {
  const all = useSyncExternalStore(subscribe, () => reports)
  const [first] = all
  if (!first) return null
  const retryAll = () => {
    for (const { retry } of all) retry?.()
  }
  return (
    <div className="fault" role="alert">
      <p>{first.text}</p>
      {first.retry && (
        <button type="button" onClick={retryAll}>
          Try again
        </button>
      )}
    </div>
  )
}
