import pg from 'pg'

const CANCEL_MS = 2000

// Parts of pg's client and connection that its types omit.
interface ClientInternals {
  host: string
  port: number
  ssl: boolean | object
  processID: number | null
  secretKey: number | null
  connection: { stream: { destroy(): void } }
}

interface CancelConnection extends pg.Connection {
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: number): void
}

/**
 * Cancels the running statement of a connection, over a separate connection as the protocol
 * requires. The request may arrive late, so the connection must not send another statement before
 * this resolves.
 */
export function requestCancel(client: pg.ClientBase): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as unknown as ClientInternals
  if (processID === null || secretKey === null) return Promise.resolve()
  return new Promise((resolve) => {
    const connection = new pg.Connection({ ssl } as object) as CancelConnection
    const deadline = setTimeout(() => connection.stream.destroy(), CANCEL_MS)
    const send = () => connection.cancel(processID, secretKey)
    connection.on('error', () => connection.stream.destroy())
    connection.on('connect', () => (ssl ? connection.requestSsl() : send()))
    connection.on('sslconnect', send)
    connection.once('end', () => {
      clearTimeout(deadline)
      resolve()
    })
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}

/**
 * Closes a connection without a goodbye, which a hanging server would not answer. Pending work on
 * it fails.
 */
export function destroyConnection(client: pg.ClientBase): void {
  const { connection } = client as unknown as ClientInternals
  connection.stream.destroy()
}

/**
 * Runs `work` on a client until a signal aborts it: the running statement is cancelled, and the
 * result rejects with the signal's reason. A connection that does not react is closed.
 */
export async function cancelOnAbort<T>(
  client: pg.ClientBase,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!signal) return work()
  signal.throwIfAborted()
  let cancelling: Promise<void> | undefined
  let deadline: NodeJS.Timeout | undefined
  const cancel = () => {
    cancelling = requestCancel(client)
    deadline = setTimeout(() => destroyConnection(client), CANCEL_MS)
  }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const result = await work()
    signal.throwIfAborted()
    return result
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', cancel)
    clearTimeout(deadline)
    // A pending cancel must not hit other work on the connection.
    await cancelling
  }
}
