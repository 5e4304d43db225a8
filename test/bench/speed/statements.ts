/** Counts the SQL statements of a server by standing between it and Postgres. */
import { connect, createServer, type Socket } from 'node:net'

export interface Counter {
  /** Where the server under test finds the store. */
  url: string
  /** The statements since the last call. */
  take(): string[]
  close(): Promise<void>
}

/** What begins or ends a transaction: no statement that reads. */
export const isFrame = (sql: string) => /^\s*(BEGIN|COMMIT|ROLLBACK|START|SET)\b/i.test(sql)

export async function countStatements(storeUrl: string): Promise<Counter> {
  const target = new URL(storeUrl)
  let statements: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const named = new Map<string, string>()
    const portals = new Map<string, string>()
    /** A connection that listens, or sends the heartbeat, belongs to no request. */
    let notifies = false
    const read = messages((type, body) => {
      const [first = '', second = ''] = body.subarray(0, 65_536).toString('latin1').split('\0', 2)
      if (type === 'P') named.set(first, second)
      if (type === 'B') portals.set(first, named.get(second) ?? '')
      const sql = type === 'E' ? portals.get(first) : type === 'Q' ? first : undefined
      notifies ||= /\b(LISTEN|NOTIFY)\b/.test(sql ?? '')
      if (sql !== undefined && !notifies) statements.push(sql)
    })
    client.on('data', read)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(storeUrl)
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    take() {
      const taken = statements
      statements = []
      return taken
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Cuts what a client of Postgres sends into its messages; the first has no type. */
function messages(take: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let started = false
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const head = started ? 1 : 0
      if (rest.length < head + 4) return
      const length = rest.readInt32BE(head)
      if (rest.length < head + length) return
      if (started) take(rest.toString('latin1', 0, 1), rest.subarray(5, 1 + length))
      started = true
      rest = rest.subarray(head + length)
    }
  }
}
