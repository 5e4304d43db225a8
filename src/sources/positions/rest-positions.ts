import type { Hash } from 'node:crypto'
import { type Client, sourceFailed } from '../client.ts'
import { received } from '../fetched.ts'
import { PairSet } from '../mirror/pair-set.ts'
import {
  points,
  positionPages,
  type RestPosition,
  type RestServer,
  restServer,
  serverName,
} from '../mirror/rest-api.ts'
import { type PositionsSource, positionsName } from './positions-source.ts'

/**
 * Another gateway, or the legacy points server, as a source of positions: its stored positions of
 * the date, with prices and points. Their number must match its report.
 * @throws BAD_INPUT if the base is not an http(s) URL
 */
export function restPositions(
  client: Client,
  base: string,
  name = serverName(base),
): PositionsSource {
  return {
    name,
    async positions(date, { signal }) {
      const server = restServer(client, base, { signal, name: positionsName(name) })
      const report = await reportOf(server, date)
      async function* read(hash: Hash) {
        let count = 0
        for await (const records of positionsOf(server, report, hash)) {
          yield records
          count += records.length
          if (count > report.positionCount) break
        }
        await assertWhole(server, report, count)
      }
      return {
        ...received('/positions/breakdown-by-assets', { kind: 'POSITIONS', name }, read),
        pricesName: name,
      }
    },
  }
}

interface Report {
  /** YYYY-MM-DD. */
  date: string
  positionCount: number
  totalPoints: number
  /** The next distribution date, for a shortcut to this one. Undefined if this is the newest. */
  next: string | undefined
  /** The number of positions on later dates. */
  newer: number
}

async function reportOf(server: RestServer, date: string): Promise<Report> {
  const { items } = await server.get('/points/reports', points.reports)
  const report = items.find(({ distributionDate }) => distributionDate.startsWith(date))
  if (!report || report.positionCount === 0)
    throw sourceFailed(server.name, `it has no positions of ${date}`)
  const later = items.filter(({ distributionDate }) => distributionDate > report.distributionDate)
  const next = later.map(({ distributionDate }) => distributionDate).sort()[0]
  return {
    ...report,
    date,
    next,
    newer: later.reduce((sum, { positionCount }) => sum + positionCount, 0),
  }
}

async function assertWhole(server: RestServer, before: Report, count: number): Promise<void> {
  const { date, positionCount, totalPoints } = before
  const now = await reportOf(server, date)
  if (now.positionCount !== positionCount || now.totalPoints !== totalPoints)
    throw sourceFailed(server.name, `its positions of ${date} changed while they were read`)
  if (count !== positionCount)
    throw sourceFailed(
      server.name,
      `it gave ${count} positions of ${date}, ${count < positionCount ? 'fewer' : 'more'} than ` +
        `the ${positionCount} that its report counts`,
    )
}

// Reads the positions of a report's date. Pages are newest date first, so an older date ends
// them.
async function* positionsOf(
  server: RestServer,
  { date, next, newer }: Report,
  hash: Hash,
): AsyncGenerator<RestPosition[]> {
  const after = next && (await recordOf(server, date, next))
  const pools = new Map<string, number>()
  const seen = new PairSet()
  let skipped = 0
  for await (const { items, body } of positionPages(server, after)) {
    hash.update(body)
    const records = items.filter(({ distributionDate }) => distributionDate.startsWith(date))
    for (const { userAddress, marketAddress } of records) {
      if (!pools.has(marketAddress)) pools.set(marketAddress, pools.size)
      if (!seen.add(userAddress, pools.get(marketAddress) as number))
        throw sourceFailed(
          server.name,
          `the position of ${userAddress} in ${marketAddress} on ${date} came twice`,
        )
    }
    if (records.length > 0) yield records
    skipped += items.filter(({ distributionDate }) => distributionDate.slice(0, 10) > date).length
    if (skipped > newer)
      throw sourceFailed(
        server.name,
        `it gave more positions of later dates than ${date} than the ${newer} that its reports ` +
          'count',
      )
    if (items.some(({ distributionDate }) => distributionDate.slice(0, 10) < date)) return
  }
}

// Finds a record of `next`, the distribution date after `date`, as a cursor past all newer
// dates: the last one in the list among those on the pages of the top accounts. Undefined if
// there is none.
async function recordOf(
  server: RestServer,
  date: string,
  next: string,
): Promise<string | undefined> {
  const { topAccounts } = await server.get('/points/leaderboard', points.leaderboard)
  const ids: string[] = []
  for (const { account } of topAccounts) {
    const path = `/points/${account}?limit=1&cursor=${encodeURIComponent(`${date}T00:00:00.000Z`)}`
    const { items } = await server.get(path, points.datesOfAccount)
    for (const { distributionDate, positions } of items)
      if (distributionDate === next) ids.push(...positions.map((position) => position.id))
  }
  return ids.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).at(-1)
}
