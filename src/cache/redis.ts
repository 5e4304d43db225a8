import { createClient } from 'redis'
import type { Cache } from './cache.ts'

const PREFIX = 'gateway:'
const LIFE_SECONDS = 300
// Computing an answer is cheaper than waiting longer than this.
const PATIENCE_MS = 250
// The pause before reconnecting to a Redis that was late.
const REST_MS = 1000
// An outage is over when Redis has answered for this long.
const STEADY_MS = 5000
const MAX_COMMANDS = 500
const MAX_VALUE_BYTES = 1024 * 1024
const MAX_UNSENT_BYTES = 8 * 1024 * 1024
// The bytes that a gateway stores in the lifetime of a value. Redis holds at most twice as much of
// it at a time.
const MAX_STORED_BYTES = 64 * 1024 * 1024

/**
 * A cache that several gateways share. If Redis does not answer in time, the connection is dropped
 * and reopened. Until the new connection is ready, nothing is sent and no request waits.
 */
export async function openRedisCache(url: string, onError: (error: Error) => void): Promise<Cache> {
  let closed = false
  let down = false
  let readySince = 0
  const report = (error: Error) => {
    if (!down && !closed) onError(error)
    down = true
  }
  const connect = () => {
    const opened = createClient({
      url,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_COMMANDS,
      pingInterval: 1000,
      socket: {
        connectTimeout: 2000,
        socketTimeout: 5000,
        reconnectStrategy: (tries) => Math.min(100 * 2 ** Math.min(tries, 6), 2000),
      },
    })
    opened.on('error', report)
    opened.on('ready', () => {
      readySince = performance.now()
    })
    // Not awaited, so that a gateway starts without its cache.
    opened.connect().catch(() => {})
    return opened
  }
  type Client = ReturnType<typeof connect>
  let client: Client | undefined = connect()

  const drop = (late: Client) => {
    if (client !== late) return
    report(new Error(`Redis did not answer within ${PATIENCE_MS} ms`))
    client = undefined
    // Frees pending commands and their memory.
    late.destroy()
    setTimeout(() => {
      if (!closed) client = connect()
    }, REST_MS).unref()
  }

  const send = async <T>(command: (ready: Client) => Promise<T>): Promise<T | undefined> => {
    const ready = client
    if (!ready?.isReady) return undefined
    let answered = false
    // An answer that arrived while this process was busy is not late.
    const timer = setTimeout(() => setImmediate(() => answered || drop(ready)), PATIENCE_MS)
    try {
      const answer = await command(ready)
      if (performance.now() - readySince > STEADY_MS) down = false
      return answer
    } catch {
      return undefined
    } finally {
      answered = true
      clearTimeout(timer)
    }
  }

  let unsent = 0
  let stored = 0
  let since = performance.now()
  const admits = (bytes: number): boolean => {
    const now = performance.now()
    if (now - since > LIFE_SECONDS * 1000) {
      since = now
      stored = 0
    }
    return (
      bytes <= MAX_VALUE_BYTES &&
      unsent + bytes <= MAX_UNSENT_BYTES &&
      stored + bytes <= MAX_STORED_BYTES
    )
  }

  return {
    get: async (key) => (await send((ready) => ready.get(PREFIX + key))) ?? undefined,
    set(key, value) {
      const bytes = Buffer.byteLength(key) + Buffer.byteLength(value)
      if (!client?.isReady || !admits(bytes)) return
      unsent += bytes
      stored += bytes
      void send((ready) =>
        ready.set(PREFIX + key, value, { expiration: { type: 'EX', value: LIFE_SECONDS } }),
      ).finally(() => {
        unsent -= bytes
      })
    },
    async ping() {
      if ((await send((ready) => ready.ping())) === undefined)
        throw new Error('Redis does not answer')
    },
    async close() {
      closed = true
      client?.destroy()
    },
  }
}
