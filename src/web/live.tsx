import { createClient } from 'graphql-sse'
import { DataChangedDocument, type DataChangedSubscription } from 'lending-graph-client'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { stringifyDocument } from 'urql'
import { day } from './format.ts'
import { served } from './paths.ts'

const MAX_WAIT_MS = 10_000

interface LiveState {
  /** Rises with each change of the data: what is shown is read again. */
  generation: number
  connected: boolean
  /** The latest event, for people. */
  message: string
}

const LiveContext = createContext<LiveState>({ generation: 0, connected: true, message: '' })
export const useLive = () => useContext(LiveContext)

/** Follows the data while the page is visible: browsers allow few open connections to a server. */
export function Live({ children }: { children: ReactNode }) {
  const [state, setState] = useState<LiveState>({ generation: 0, connected: true, message: '' })
  useEffect(() => {
    const follower = new Follower(setState)
    const follow = () => (document.hidden ? follower.stop() : follower.start())
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      follower.stop()
    }
  }, [])
  return <LiveContext value={state}>{children}</LiveContext>
}

/** Subscribes to changes of the data, again after each loss of the connection. */
class Follower {
  readonly #set: (change: (state: LiveState) => LiveState) => void
  #last: DataChangedSubscription['dataChanged'] | undefined
  #stop: (() => void) | undefined

  constructor(set: (change: (state: LiveState) => LiveState) => void) {
    this.#set = set
  }

  start(): void {
    if (this.#stop) return
    let stopped = false
    const client = createClient({ url: served('/graphql'), retryAttempts: 0 })
    this.#stop = () => {
      stopped = true
      client.dispose()
    }
    const follow = async () => {
      for (let failures = 0; !stopped; failures++) {
        try {
          const query = stringifyDocument(DataChangedDocument)
          for await (const { data } of client.iterate<DataChangedSubscription>({ query })) {
            if (stopped) return
            failures = 0
            if (data) this.#changed(data.dataChanged)
          }
        } catch {
          // A server that is gone, closes, or has too many subscriptions.
        }
        if (stopped) return
        this.#set((state) => ({ ...state, connected: false }))
        await new Promise((resolve) =>
          setTimeout(resolve, Math.min(MAX_WAIT_MS, 500 * 2 ** failures)),
        )
      }
    }
    void follow()
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  #changed(event: DataChangedSubscription['dataChanged']): void {
    const last = this.#last
    this.#last = event
    this.#set(({ generation, connected, message }) => {
      if (last?.version === event.version || !last) {
        // Reads that failed while the connection was lost are repeated.
        return { generation: connected ? generation : generation + 1, connected: true, message }
      }
      const { distribution } = event
      const isNew = distribution && distribution.finishedAt !== last.distribution?.finishedAt
      const what = isNew
        ? `The distribution of ${day(distribution.date)} has been computed`
        : 'The data has changed'
      return {
        generation: generation + 1,
        connected: true,
        message: `${what}: this page shows it.`,
      }
    })
  }
}
