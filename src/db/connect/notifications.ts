import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** What the store tells by NOTIFY, heard on one connection of its own. */
export interface Notifications {
  /** Whether every notification that is committed from now on will be heard. */
  readonly connected: boolean
  /** Calls `listener` with the payload of each notification of a channel. @returns ends it */
  subscribe(channel: string, listener: (payload: string) => void): () => void
  /** Calls `listener` when it becomes connected: what was notified before may have been missed. @returns ends it */
  onUp(listener: () => void): () => void
  /** Calls `listener` as soon as it is known that notifications may be missed. @returns ends it */
  onDown(listener: () => void): () => void
  close(): Promise<void>
}

export interface NotificationsOptions {
  url: string
  channels: string[]
  /** Told of the failure that begins an outage, not of each attempt to end it. */
  onError(error: Error): void
  /** How often the connection is tried: one that is dead without a word is noticed within this and `patienceMs`. */
  pingMs?: number
  /** How long the store may take to answer. */
  patienceMs?: number
}

const MAX_PAUSE_MS = 5000
const CLOSING_MS = 500

/**
 * Listens to channels of the store. It connects when somebody first subscribes, and again and again, with growing
 * pauses, whenever the connection is lost; a store that is away is no error of whoever subscribes.
 */
export function openNotifications(options: NotificationsOptions): Notifications {
  const closing = new AbortController()
  const listeners = new Map(options.channels.map((channel) => [channel, new Set<(payload: string) => void>()]))
  const ups = new Set<() => void>()
  const downs = new Set<() => void>()
  let connected = false
  let outage = false
  let listening: Promise<void> | undefined

  const up = () => {
    connected = true
    outage = false
    for (const listener of [...ups]) listener()
  }
  const down = () => {
    if (!connected) return
    connected = false
    for (const listener of [...downs]) listener()
  }
  const hear = (channel: string, payload: string) => {
    for (const listener of [...(listeners.get(channel) ?? [])]) listener(payload)
  }
  const listen = async () => {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      try {
        await hold(options, closing.signal, {
          up() {
            failures = 0
            up()
          },
          down,
          hear,
        })
      } catch (error) {
        if (!outage) options.onError(error as Error)
        outage = true
      }
      const pause = Math.min(100 * 2 ** Math.min(failures, 10), MAX_PAUSE_MS) * (0.5 + Math.random() / 2)
      await sleep(pause, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const add = <T>(set: Set<T>, listener: T) => {
    set.add(listener)
    listening ??= listen()
    return () => void set.delete(listener)
  }

  return {
    get connected() {
      return connected
    },
    subscribe(channel, listener) {
      const set = listeners.get(channel)
      if (!set) throw new Error(`${channel} is no channel that is listened to`)
      return add(set, listener)
    },
    onUp: (listener) => add(ups, listener),
    onDown: (listener) => add(downs, listener),
    async close() {
      closing.abort()
      await listening
    },
  }
}

interface Events {
  up(): void
  down(): void
  hear(channel: string, payload: string): void
}

/** Keeps one connection for as long as it lives. @throws what it ended with, unless it was closed */
async function hold(options: NotificationsOptions, closing: AbortSignal, { up, down, hear }: Events): Promise<void> {
  const { url, channels, pingMs = 5000, patienceMs = 5000 } = options
  const client = new pg.Client({
    connectionString: url,
    application_name: 'gateway-listen',
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    keepAlive: true,
  })
  const over = new AbortController()
  const stop = () => over.abort()
  closing.addEventListener('abort', stop)
  const lost = new Promise<never>((_, reject) => {
    const end = (error?: Error) => {
      down()
      stop()
      reject(error ?? new Error('the connection to the store ended'))
    }
    client.on('error', end)
    client.on('end', () => end())
  })
  lost.catch(() => {})
  client.on('notification', ({ channel, payload }) => hear(channel, payload ?? ''))
  try {
    await Promise.race([client.connect(), lost])
    const commands = channels.map((channel) => `LISTEN ${pg.escapeIdentifier(channel)}`)
    await Promise.race([client.query(commands.join('; ')), lost])
    up()
    while (!closing.aborted) {
      await sleep(pingMs, undefined, { signal: over.signal }).catch(() => {})
      if (!closing.aborted) await Promise.race([client.query('SELECT 1'), lost])
    }
  } finally {
    down()
    closing.removeEventListener('abort', stop)
    // A connection that is dead would wait for its goodbye for ever.
    const { stream } = client.connection
    if (!closing.aborted) stream.destroy()
    await Promise.race([client.end().catch(() => {}), sleep(CLOSING_MS, undefined, { ref: false })])
    stream.destroy()
  }
}
