import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * A way to a Postgres on which single connections can stall, open and silent, as they do in
 * networks.
 */
export async function openStallingProxy(target: string) {
  const { hostname, port } = new URL(target)
  const pairs = new Set<{ near: Socket; far: Socket; startup: string }>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    const pair = { near, far, startup: '' }
    pairs.add(pair)
    near.once('data', (data) => {
      pair.startup = data.toString('latin1')
    })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from
        .on('error', () => {})
        .on('close', () => to.destroy())
        .pipe(to)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    /**
     * Stalls the connections that are open now and have this application's name.
     * @returns how many
     */
    stall(application: string): number {
      const stalled = [...pairs].filter(
        ({ near, startup }) => !near.destroyed && startup.includes(application),
      )
      for (const { near, far } of stalled) {
        near.unpipe()
        far.unpipe()
      }
      return stalled.length
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy()
        far.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
