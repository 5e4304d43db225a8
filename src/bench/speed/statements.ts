/** Counts the SQL statements of a server by standing between it and Postgres. */
import { connect, createServer, type Socket } from 'node:net'

export interface Statement {
  sql: string
  /** The values of its parameters, as text. */
  values: (string | null)[]
}

export interface Counter {
  /** Where the server under test finds the store. */
  url: string
  /** The statements since the last call. */
  take(): Statement[]
  close(): Promise<void>
}

/** What begins or ends a transaction: no statement that reads. */
export const isFrame = ({ sql }: Statement) => /^\s*(BEGIN|COMMIT|ROLLBACK|START|SET)\b/i.test(sql)

export async function countStatements(storeUrl: string): Promise<Counter> {
  const target = new URL(storeUrl)
  let statements: Statement[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const named = new Map<string, string>()
    const portals = new Map<string, Statement>()
    /** A connection that listens, or sends the heartbeat, belongs to no request. */
    let notifies = false
    const read = messages((type, body) => {
      const [first = '', second = ''] = body.toString('utf8').split('\0', 2)
      if (type === 'P') named.set(first, second)
      if (type === 'B')
        portals.set(first, { sql: named.get(second) ?? '', values: boundValues(body) })
      const simple = type === 'Q' ? { sql: first, values: [] } : undefined
      const statement = type === 'E' ? portals.get(first) : simple
      if (!statement) return
      notifies ||= /\b(LISTEN|NOTIFY)\b/.test(statement.sql)
      if (!notifies) statements.push(statement)
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

/**
 * The values in a Bind message: after two names come the formats, then the values, each after its
 * length.
 */
function boundValues(body: Buffer): Statement['values'] {
  const formats = body.indexOf(0, body.indexOf(0) + 1) + 1
  const count = formats + 2 + 2 * body.readInt16BE(formats)
  let at = count + 2
  return Array.from({ length: body.readInt16BE(count) }, () => {
    const length = body.readInt32BE(at)
    at += 4 + Math.max(0, length)
    return length < 0 ? null : body.toString('utf8', at - length, at)
  })
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
