import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { importDataset } from '../../src/domain/dataset/import.ts'
import {
  type Client,
  openClient,
  type PositionsSource,
  withMirror,
} from '../../src/sources/index.ts'
import { restPositions } from '../../src/sources/positions/rest-positions.ts'
import { ADMIN_TOKEN, type Gateway, startGateway } from '../support/gateway.ts'
import {
  documented,
  only,
  type ProxyOptions,
  type ProxyServer,
  startProxy,
} from '../support/proxy.ts'
import { startOnSample } from '../support/sample.ts'
import { silent } from '../support/store.ts'

const REQUEST = { pools: new Map() }

let client: Client
let gateway: Gateway
let dates: string[]
let proxy: ProxyServer | undefined
beforeAll(async () => {
  client = openClient({ timeoutMs: 20_000, retries: 1, maxBytes: 64 * 1024 * 1024, waitMs: 10 })
  gateway = await startOnSample({ users: 160, days: 12 })
  const { items } = (await (await gateway.get('/points/reports')).json()) as any
  dates = items.map((item: any) => item.distributionDate.slice(0, 10))
})
afterAll(async () => {
  await gateway.close()
  await client.close()
})
afterEach(async () => {
  await proxy?.close()
  proxy = undefined
})

async function read(source: PositionsSource, date: string) {
  const fetched = await source.positions(date, REQUEST)
  const records: any[] = []
  for await (const batch of fetched.batches) {
    expect(batch.first).toBe(records.length + 1)
    records.push(...batch.records)
  }
  return { records, receipts: fetched.receipts(), fetched }
}

async function stored(date: string) {
  const { rows } = await gateway.deps.store.pool.query(
    'SELECT id FROM position WHERE distribution_date = $1 ORDER BY id',
    [date],
  )
  return rows.map((row) => row.id)
}

describe('positions of another gateway', () => {
  test('are those of the date, with their points, in the order of its list', async () => {
    for (const date of [dates[0], dates[1], dates[6], dates.at(-1)] as string[]) {
      const { records, receipts, fetched } = await read(restPositions(client, gateway.base), date)
      expect(records.map((record) => record.id)).toEqual(await stored(date))
      expect(records.every((record) => record.distributionDate === `${date}T00:00:00.000Z`)).toBe(
        true,
      )
      const { totalPoints } = (
        (await (await gateway.get('/points/reports')).json()) as any
      ).items.find((item: any) => item.distributionDate.startsWith(date))
      expect(records.reduce((sum, record) => sum + record.points, 0)).toBeCloseTo(totalPoints, 4)
      expect(fetched).toMatchObject({
        label: '/positions/breakdown-by-assets',
        pricesName: gateway.base,
      })
      expect(receipts).toMatchObject([
        { kind: 'POSITIONS', name: gateway.base, count: records.length, block: null, time: null },
      ])
      expect(receipts[0]?.digest).toMatch(/^[0-9a-f]{64}$/)
      expect(Math.abs(Date.parse(receipts[0]?.fetchedAt ?? '') - Date.now())).toBeLessThan(60_000)
    }
  })

  test('have the digest of their pages, and are read from their date on', async () => {
    // The leaders of the sample have records of the date after it.
    const date = dates[3] as string
    const bodies: string[] = []
    proxy = await startProxy(gateway.base, {
      answer: documented,
      change(path, body) {
        if (path.startsWith('/positions/')) bodies.push(JSON.stringify(body))
        return body
      },
    })
    const { receipts } = await read(restPositions(client, proxy.base), date)
    expect(receipts[0]?.digest).toBe(createHash('sha256').update(bodies.join('')).digest('hex'))
    const perDate = Math.ceil((await stored(date)).length / 100)
    expect(bodies.length).toBeLessThanOrEqual(2 * perDate + 1)
  })

  test('are found without knowing a later record, too', async () => {
    proxy = await startProxy(gateway.base, {
      change: (path, body: any) =>
        path === '/points/leaderboard' ? { ...body, topAccounts: [] } : body,
    })
    const date = dates[4] as string
    const { records } = await read(restPositions(client, proxy.base), date)
    expect(records.map((record) => record.id)).toEqual(await stored(date))
  })

  test('have no receipt before they were read', async () => {
    const fetched = await restPositions(client, gateway.base).positions(dates[0] as string, REQUEST)
    expect(fetched.receipts()).toEqual([])
  })

  test('are what manualupdate takes: the points are recomputed', async () => {
    const copy = await startGateway({ positionsSource: restPositions(client, gateway.base) })
    try {
      await withMirror({ client, base: gateway.base }, (dataset) =>
        importDataset(
          { pool: copy.deps.store.pool, basePoints: copy.deps.basePoints, log: silent },
          dataset,
        ),
      )
      const date = dates[0] as string
      await copy.deps.store.pool.query('DELETE FROM stored_position WHERE distribution_date = $1', [
        date,
      ])
      const response = await fetch(`${copy.base}/points/manualupdate?date=${date}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      })
      expect(await response.text()).toContain('"positionCount"')
      for (const path of [
        '/points/reports',
        '/points/leaderboard',
        '/positions/breakdown-by-assets?limit=100',
      ])
        expect(await (await copy.get(path)).json()).toEqual(await (await gateway.get(path)).json())
    } finally {
      await copy.close()
    }
  })
})

describe('a server that cannot be believed', () => {
  const isPositions = (path: string) => path.startsWith('/positions/')
  const when =
    (matches: (path: string) => boolean, change: (body: any) => unknown) =>
    (path: string, body: any) =>
      matches(path) ? change(body) || body : body
  let asked = 0
  /**
   * The first page again and again, behind ever new cursors, with other users or another date if
   * set.
   */
  const samePage = (
    path: string,
    response: ServerResponse,
    cursor = () => `cursor ${asked++}`,
    user?: () => string,
    distributionDate?: string,
  ) => {
    if (!isPositions(path)) return false
    void fetch(`${gateway.base}/positions/breakdown-by-assets?limit=100`)
      .then((answer) => answer.json())
      .then(({ items }: any) => {
        for (const item of items)
          Object.assign(
            item,
            user && { userAddress: user() },
            distributionDate && { distributionDate },
          )
        response.end(JSON.stringify({ items, nextCursor: cursor() }))
      })
    return true
  }

  const faults: [string, ProxyOptions, RegExp][] = [
    ['answers 404 to everything', { answer: only(() => false) }, /it answered 404/],
    [
      'has no such date',
      {
        change: when(
          (path) => path === '/points/reports',
          () => ({ items: [] }),
        ),
      },
      /it has no positions of \S+\.$/,
    ],
    [
      'has no positions, but a report',
      { change: when(isPositions, () => ({ items: [], nextCursor: null })) },
      /it gave 0 positions of \S+, fewer than the \d+ that its report counts/,
    ],
    [
      'ends too early',
      {
        change: when(isPositions, (body) => ({ items: body.items.slice(0, 50), nextCursor: null })),
      },
      /it gave 50 positions of \S+, fewer than/,
    ],
    [
      'reports fewer positions than it gives',
      {
        change: when(
          (path) => path === '/points/reports',
          ({ items }) => void items[0].positionCount--,
        ),
      },
      /it gave \d+ positions of \S+, more than/,
    ],
    [
      'repeats a page',
      { answer: ({ path }, response) => samePage(path, response) },
      /the position of 0x\w+ in 0x\w+ on \S+ came twice/,
    ],
    [
      'repeats a cursor',
      { answer: ({ path }, response) => samePage(path, response, () => 'the same') },
      /the nextCursor the same of its positions came twice/,
    ],
    [
      'never ends',
      {
        answer: ({ path }, response) =>
          samePage(path, response, undefined, () => `0x${String(asked++).padStart(40, '0')}`),
      },
      /it gave \d+ positions of \S+, more than the \d+ that its report counts/,
    ],
    [
      'never comes to the date',
      {
        answer: ({ path }, response) =>
          samePage(
            path,
            response,
            undefined,
            () => `0x${String(asked++).padStart(40, '0')}`,
            '2099-01-01T00:00:00.000Z',
          ),
      },
      /more positions of later dates than \S+ than the \d+ that its reports count/,
    ],
    [
      'cuts the connection',
      { answer: ({ path }, response) => path.includes('cursor') && !!response.destroy() },
      /closed the connection/,
    ],
    [
      'gives an amount that is not a number',
      {
        change: when(
          isPositions,
          ({ items }) => void Object.assign(items[1], { bBorrowedAmountUsd: '7' }),
        ),
      },
      /items\.1\.bBorrowedAmountUsd must be a number/,
    ],
    [
      'changes meanwhile',
      {
        change: when(
          (path) => path === '/points/reports',
          ({ items }) => void items.unshift({ ...items.shift(), totalPoints: asked++ }),
        ),
      },
      /its positions of \S+ changed while they were read/,
    ],
  ]
  for (const [what, options, sentence] of faults)
    test(`that ${what} is reported in a sentence`, async () => {
      proxy = await startProxy(gateway.base, options)
      const error = await read(restPositions(client, proxy.base), dates[0] as string).then(
        () => undefined,
        (reason: unknown) => reason as Error,
      )
      expect(error).toMatchObject({ code: 'SOURCE_FAILED' })
      expect(error?.message).toMatch(sentence)
      expect(error?.message).toMatch(
        /^The source of positions, http:\/\/127\.0\.0\.1:\d+, failed: .*\.$/,
      )
    })

  test('is an http(s) address', () => {
    expect(() => restPositions(client, 'here')).toThrow('A server is named by a URL')
  })

  test('can be stopped', async () => {
    const stop = new AbortController()
    const fetched = await restPositions(client, gateway.base).positions(dates[3] as string, {
      ...REQUEST,
      signal: stop.signal,
    })
    await expect(async () => {
      for await (const _ of fetched.batches) stop.abort()
    }).rejects.toMatchObject({ name: 'AbortError' })
  })
})
