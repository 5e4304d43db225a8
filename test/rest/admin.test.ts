import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_TOKEN, type Gateway, startGateway } from '../support/gateway.ts'
import {
  dates,
  type Json,
  jsonOf,
  NOW,
  nobody,
  pools,
  startOnFixture,
  upper,
  users,
} from './fixture.ts'

const { ada, bob } = users
const changes = ['/points/manualupdate', '/points/resync', '/multipliers/update']
let gateway: Gateway

const withToken = { authorization: `Bearer ${ADMIN_TOKEN}` }

async function post(
  path: string,
  body?: unknown,
  headers: Record<string, string> = withToken,
  at = gateway,
) {
  const response = await fetch(at.base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Json,
  }
}

/** What a refused request was refused for, such as `400 query date`. */
async function refusal(path: string, body?: unknown): Promise<string[]> {
  const answer = await post(path, body)
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(answer.body).toMatchObject({
    status: answer.status,
    title: expect.any(String),
    detail: expect.any(String),
  })
  return [
    String(answer.status),
    ...(answer.body.errors ?? []).map((error: Json) => `${error.in} ${error.name}`),
  ]
}

const multipliers = async () => jsonOf(gateway, '/multipliers/all', 201)
const multiplierOf = async (pool: string) =>
  (await multipliers()).find(({ poolAddress }: Json) => poolAddress === pool)
const withoutTime = ({ updatedAt, ...rest }: Json) => rest
const pointsOf = async (account: string) =>
  (await jsonOf(gateway, `/points/userpoints?account=${account}`)).userPoints

describe('the admin token', () => {
  beforeAll(async () => {
    gateway = await startOnFixture()
  })
  afterAll(() => gateway?.close())

  it.each(changes)('%s is a 401 without it or with a wrong one', async (path) => {
    const wrong = [
      '',
      'Bearer',
      'Bearer ',
      'Bearer wrong',
      `Basic ${ADMIN_TOKEN}`,
      ADMIN_TOKEN,
      `Bearer ${ADMIN_TOKEN}x`,
      `Bearer ${ADMIN_TOKEN} x`,
    ]
    for (const authorization of wrong) {
      const { status, headers, body } = await post(
        path,
        undefined,
        authorization ? { authorization } : {},
      )
      expect(status, authorization).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Bearer')
      expect(body).toMatchObject({ type: 'about:blank', title: 'Unauthorized', status: 401 })
    }
  })

  it.each(changes)('%s requires it before it reads the rest', async (path) => {
    expect((await post(`${path}?date=x`, '{', {})).status).toBe(401)
  })

  it('changes nothing without it', async () => {
    const before = await multipliers()
    await post('/multipliers/update', { poolAddress: pools.ethUsdc, deposit_tokenA: 99 }, {})
    expect(await multipliers()).toEqual(before)
  })
})

describe('a server without an admin token', () => {
  let open: Gateway
  beforeAll(async () => {
    open = await startGateway({ env: { ADMIN_TOKEN: undefined as never } })
  })
  afterAll(() => open?.close())

  it.each(changes)('%s is a 403 that says what to do', async (path) => {
    for (const headers of [{}, withToken, { authorization: 'Bearer undefined' }]) {
      const { status, body } = await post(path, undefined, headers as Record<string, string>, open)
      expect(status).toBe(403)
      expect(body.detail).toMatch(/ADMIN_TOKEN/)
    }
  })
})

describe('with the token', () => {
  let stored: Json[]
  beforeAll(async () => {
    gateway = await startOnFixture()
    stored = await multipliers()
  })
  afterAll(() => gateway?.close())

  /** Gives back the multipliers of the fixture. */
  async function restore() {
    const { body } = await post('/multipliers/update', stored)
    expect(body.map(withoutTime)).toEqual(stored.map(withoutTime))
  }

  describe('POST /points/resync', () => {
    const restorePoints = async () => {
      await restore()
      expect((await post('/points/resync?date=2026-03-01')).body.totalPoints).toBe(520)
    }

    it('defaults to the newest stored date, and reports what it did', async () => {
      const { status, body } = await post('/points/resync')
      expect(status).toBe(200)
      expect(body).toEqual({
        distributionDate: dates[2],
        positionCount: 3,
        totalPoints: expect.closeTo(0.6, 9),
        startedAt: NOW.toISOString(),
        finishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
    })

    it('takes the date from the query, from the body, or from both where they agree', async () => {
      for (const answer of [
        await post('/points/resync?date=2026-03-01'),
        await post('/points/resync', { date: '2026-03-01' }),
        await post('/points/resync?date=2026-03-01', { date: '2026-03-01' }),
      ])
        expect(answer).toMatchObject({
          status: 200,
          body: { distributionDate: dates[0], positionCount: 4, totalPoints: 520 },
        })
    })

    it('takes an empty body of any type, and an empty object', async () => {
      for (const type of [
        'application/json',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/octet-stream',
      ])
        expect(
          (await post('/points/resync', '', { ...withToken, 'content-type': type })).status,
          type,
        ).toBe(200)
      expect(await post('/points/resync', {})).toMatchObject({
        status: 200,
        body: { distributionDate: dates[2] },
      })
    })

    it('changes points after multipliers/update, and only then and for its date', async () => {
      await post('/multipliers/update', { poolAddress: pools.ethUsdc, deposit_tokenA: 3 })
      expect([await pointsOf(ada), await pointsOf(bob)]).toEqual([380, 290])

      const { body } = await post('/points/resync?date=2026-03-01')
      expect(body.totalPoints).toBe(3 * 150 + (3 * 100 + 20))
      expect([await pointsOf(ada), await pointsOf(bob)]).toEqual([380 + 150, 290 + 100])
      const { items } = await jsonOf(gateway, '/points/reports')
      expect(items.map(({ totalPoints }: Json) => totalPoints)).toEqual([
        expect.closeTo(0.6, 9),
        440,
        770,
      ])
      const { topAccounts } = await jsonOf(gateway, '/points/leaderboard')
      expect(topAccounts.map(({ points }: Json) => points)).toEqual([530, 390, 290])
      await restorePoints()
    })

    it('gives a pool 0 points when its multipliers are 0', async () => {
      await post('/multipliers/update', {
        poolAddress: pools.ethUsdc,
        deposit_tokenA: 0,
        deposit_tokenB: 0,
        borrow_tokenA: 0,
      })
      expect((await post('/points/resync?date=2026-03-01')).body.totalPoints).toBe(0)
      expect((await jsonOf(gateway, '/points/leaderboard')).total).toBe('6')
      await restorePoints()
    })

    it('changes no answer where nothing has changed', async () => {
      const before = await jsonOf(gateway, '/points/breakdown-by-assets?limit=100')
      await post('/points/resync?date=2026-03-02')
      expect(await jsonOf(gateway, '/points/breakdown-by-assets?limit=100')).toEqual(before)
    })

    it.each(['2026-02-28', '2026-03-10', '0001-01-01', '1970-01-01'])(
      'is a 404 for %s, which has no positions',
      async (date) => {
        expect(await refusal(`/points/resync?date=${date}`)).toEqual(['404'])
      },
    )

    it('is a 409 while a run for its date is in progress, and only for that date', async () => {
      const client = await gateway.deps.store.pool.connect()
      try {
        await client.query('BEGIN')
        await client.query(
          "SELECT pg_try_advisory_xact_lock(7014011, date '2026-03-01' - date '2000-01-01')",
        )
        expect(await refusal('/points/resync?date=2026-03-01')).toEqual(['409'])
        expect((await post('/points/resync?date=2026-03-02')).status).toBe(200)
        await client.query('ROLLBACK')
      } finally {
        client.release()
      }
      expect((await post('/points/resync?date=2026-03-01')).status).toBe(200)
    })
  })

  describe('the date of a run', () => {
    it.each(['/points/manualupdate', '/points/resync'])(
      '%s: is YYYY-MM-DD, in the query',
      async (path) => {
        for (const date of [
          '',
          'x',
          '2026-3-1',
          '20260301',
          '2026-02-30',
          '2026-03-01T00:00:00Z',
          '-2026-03-01',
          '%002026-03-01',
          '2026-03-01%0A',
        ])
          expect(await refusal(`${path}?date=${date}`), date).toEqual(['400', 'query date'])
      },
    )

    it.each(['/points/manualupdate', '/points/resync'])(
      '%s: is YYYY-MM-DD, in the body',
      async (path) => {
        for (const date of ['', 'x', '2026-02-30', 20260301, true, ['2026-03-01'], {}])
          expect(await refusal(path, { date }), String(date)).toEqual(['400', 'body date'])
      },
    )

    it.each(['/points/manualupdate', '/points/resync'])('%s: is given once', async (path) => {
      expect(await refusal(`${path}?date=2026-03-01&date=2026-03-01`)).toEqual([
        '400',
        'query date',
      ])
    })

    it.each(['/points/manualupdate', '/points/resync'])(
      '%s: is the same in the query and in the body',
      async (path) => {
        expect(await refusal(`${path}?date=2026-03-01`, { date: '2026-03-02' })).toEqual([
          '400',
          'body date',
        ])
      },
    )

    it('is reported in both places', async () => {
      expect(await refusal('/points/resync?date=x', { date: 'y' })).toEqual([
        '400',
        'query date',
        'body date',
      ])
    })

    it('is not in the future', async () => {
      for (const date of ['2026-03-11', '9999-12-31']) {
        expect((await refusal(`/points/resync?date=${date}`))[0], date).toBe('400')
        expect((await refusal('/points/resync', { date }))[0], date).toBe('400')
      }
    })
  })

  describe('POST /points/manualupdate', () => {
    it('is a 503 without a source', async () => {
      expect(await refusal('/points/manualupdate')).toEqual(['503'])
    })
  })

  describe('POST /multipliers/update', () => {
    const path = '/multipliers/update'
    afterEach(restore)

    it('takes one, and answers with the whole record in a list', async () => {
      const before = await multiplierOf(pools.ethUsdc)
      const { status, body } = await post(path, {
        poolAddress: pools.ethUsdc,
        deposit_tokenA: 5,
        deposit_tokenB: 6,
        borrow_tokenA: 7,
        borrow_tokenB: 8,
      })
      expect(status).toBe(200)
      const numbers = { deposit_tokenA: 5, deposit_tokenB: 6, borrow_tokenA: 7, borrow_tokenB: 8 }
      expect(body).toEqual([{ ...before, ...numbers, updatedAt: expect.any(String) }])
      expect(body[0].updatedAt > before.updatedAt).toBe(true)
      expect(await multiplierOf(pools.ethUsdc)).toEqual(body[0])
    })

    it('takes several, answers in their order, and makes what is left out 0 where a pool had no multiplier', async () => {
      const order = [pools.daiEth, pools.arbUsdc, pools.ethUsdc]
      expect(await multiplierOf(pools.daiEth)).toBeUndefined()
      const { body } = await post(
        path,
        order.map((poolAddress) => ({ poolAddress, deposit_tokenB: 1.5 })),
      )
      expect(body.map(({ poolAddress }: Json) => poolAddress)).toEqual(order)
      expect(body[0]).toMatchObject({
        ...{ deposit_tokenA: 0, deposit_tokenB: 1.5, borrow_tokenA: 0, borrow_tokenB: 0 },
        poolName: 'DAI·ETH·20',
      })
      expect(body[0].id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    })

    it('keeps what is left out', async () => {
      const { body } = await post(path, { poolAddress: pools.ethUsdc, borrow_tokenB: 9 })
      expect(body).toMatchObject([
        { deposit_tokenA: 2, deposit_tokenB: 1, borrow_tokenA: 4, borrow_tokenB: 9 },
      ])
    })

    it('takes the pool in upper case', async () => {
      const { body } = await post(path, { poolAddress: upper(pools.arbUsdc), deposit_tokenA: 0 })
      expect(body).toMatchObject([{ poolAddress: pools.arbUsdc, deposit_tokenA: 0 }])
    })

    it('takes what /multipliers/all gave', async () => {
      const all = await multipliers()
      const { status, body } = await post(path, all)
      expect(status).toBe(200)
      expect(body.map(withoutTime)).toEqual(all.map(withoutTime))
    })

    const pool = { poolAddress: pools.ethUsdc }
    it.each([
      ['null', { ...pool, deposit_tokenA: null }, 'body deposit_tokenA'],
      ['a negative number', { ...pool, deposit_tokenA: -1 }, 'body deposit_tokenA'],
      ['a number as text', { ...pool, borrow_tokenB: '1' }, 'body borrow_tokenB'],
      ['NaN as text', { ...pool, borrow_tokenB: 'NaN' }, 'body borrow_tokenB'],
      [
        'Infinity, as 1e999',
        `{"poolAddress":"${pools.ethUsdc}","deposit_tokenB":1e999}`,
        'body deposit_tokenB',
      ],
      ['a list for a number', { ...pool, deposit_tokenB: [1] }, 'body deposit_tokenB'],
      ['a misspelt field', { ...pool, depositA: 1 }, 'body depositA'],
      ['no pool', { deposit_tokenA: 1 }, 'body poolAddress'],
      ['a pool that is no address', { poolAddress: 'abc' }, 'body poolAddress'],
      ['a pool with a NUL', { poolAddress: `${pools.ethUsdc.slice(0, -1)}\0` }, 'body poolAddress'],
      [
        'null in a list',
        [
          { ...pool, deposit_tokenA: 1 },
          { poolAddress: pools.daiEth, deposit_tokenB: null },
        ],
        'body 1.deposit_tokenB',
      ],
      ['the same pool twice', [pool, { poolAddress: upper(pools.ethUsdc) }], 'body 1.poolAddress'],
    ])('refuses %s, and changes nothing', async (_what, body, expected) => {
      const before = await multipliers()
      expect(await refusal(path, body)).toEqual(['400', expected])
      expect(await multipliers()).toEqual(before)
    })

    it.each([[[]], ['']])('refuses an empty list and an empty body: "%s"', async (body) => {
      expect((await refusal(path, body))[0]).toBe('400')
    })

    it('reports everything that is wrong', async () => {
      expect(
        await refusal(path, { poolAddress: 'x', deposit_tokenA: -1, borrow_tokenA: null }),
      ).toEqual(['400', 'body poolAddress', 'body deposit_tokenA', 'body borrow_tokenA'])
    })

    it('is a 404 for an unknown pool, and changes none of the others', async () => {
      const before = await multipliers()
      expect(
        await refusal(path, [
          { ...pool, deposit_tokenA: 77 },
          { poolAddress: nobody, deposit_tokenA: 1 },
        ]),
      ).toEqual(['404'])
      expect(await multipliers()).toEqual(before)
    })
  })
})
