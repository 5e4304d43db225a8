import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleOf } from '../support/extent.ts'
import { ADMIN_TOKEN, type Gateway } from '../support/gateway.ts'
import {
  type Json,
  jsonOf,
  markets,
  nobody,
  startOnFixture,
  tokens,
  users,
  vault,
} from './fixture.ts'
import { sendRaw } from './raw.ts'

const { ada } = users
let gateway: Gateway

beforeAll(async () => {
  gateway = await startOnFixture()
})
afterAll(() => gateway?.close())

/** A problem document (RFC 9457), whose status is that of the response. */
async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  const problem: Json = await response.json()
  expectShapes(problem, response.status)
  expect(problem.detail).not.toMatch(/\n|node_modules|SELECT |prisma|postgres|\.ts\b/i)
  return problem
}

/** The members of RFC 9457, and the same values under the names that older clients read. */
function expectShapes(problem: Json, status: number) {
  const { title, detail } = problem
  expect([typeof title, typeof detail]).toEqual(['string', 'string'])
  expect(problem).toMatchObject({
    type: 'about:blank',
    status,
    statusCode: status,
    error: title,
    message: detail,
  })
}

/** The parameters that a path is refused for, such as `query page`. */
async function refusedFor(path: string): Promise<string[]> {
  const problem = await problemOf(await gateway.get(path))
  expect(problem.status).toBe(400)
  for (const error of problem.errors) {
    expect(Object.keys(error).sort()).toEqual(['in', 'message', 'name'])
    expect(error.message).not.toBe('')
  }
  return problem.errors.map((error: Json) => `${error.in} ${error.name}`).sort()
}

const v1 = (name: string, query = '') => `/v1/users/${ada}/${name}?${query}`
const paged = [
  v1('market-position-snapshots'),
  v1('vault-position-snapshots'),
  v1('market-liquidation-rewards', `market=${markets.first}&`),
  v1('vault-liquidation-rewards', `vault=${vault}&`),
  v1('earnings'),
  v1('net-apr'),
]
const limited = [
  '/points/breakdown-by-assets?',
  '/positions/breakdown-by-assets?',
  '/positions/breakdown-by-markets?',
  `/points/${ada}?`,
]
const badAddresses = [
  'abc',
  '0x',
  ada.slice(2),
  ada.slice(0, -1),
  `${ada}0`,
  `${ada.slice(0, -1)}g`,
  ada.replace('0x', '1x'),
  `%20${ada}`,
  `${ada}%0A`,
  `${ada.slice(0, -1)}%00`,
  'a'.repeat(3000),
]
const notIntegers = [
  '',
  'abc',
  '-1',
  '1.5',
  '1e2',
  '0x10',
  '+1',
  '%201',
  '1%20',
  '%00',
  'NaN',
  'Infinity',
  '٣',
  '9007199254740992',
  '9223372036854775808',
  '9'.repeat(400),
]

describe('addresses', () => {
  const users = [...paged, '/points/X?', '/positions/X?'].map((path) => path.replace(ada, 'X'))
  const wrong = users.flatMap((path) => badAddresses.map((address) => [path.replace('X', address)]))
  it.each(wrong)('in the path: %s', async (path) => {
    expect(await refusedFor(path)).toEqual(['path address'])
  })

  const parameters = [
    '/points/leaderboard?account',
    '/points/userpoints?account',
    `${v1('market-liquidation-rewards')}market`,
    `${v1('vault-liquidation-rewards')}vault`,
  ]
  it.each(
    parameters.flatMap((parameter) =>
      ['', ...badAddresses].map((address) => [`${parameter}=${address}`]),
    ),
  )('in the query: %s', async (path) => {
    expect(await refusedFor(path)).toEqual([`query ${/(\w+)=/.exec(path)?.[1]}`])
  })

  it.each(parameters)('twice: %s', async (parameter) => {
    const name = /(\w+)$/.exec(parameter)?.[1]
    expect(await refusedFor(`${parameter}=${nobody}&${name}=${nobody}`)).toEqual([`query ${name}`])
  })

  it.each(['market-liquidation-rewards', 'vault-liquidation-rewards'])(
    '%s needs its entity',
    async (name) => {
      expect(await refusedFor(v1(name))).toEqual([`query ${name.split('-')[0]}`])
    },
  )

  it.each(['/points/breakdown-by-assets', '/positions/breakdown-by-assets'])(
    '%s takes none but addresses',
    async (path) => {
      for (const asset of [
        '',
        ...badAddresses,
        `${tokens.eth},`,
        `,${tokens.eth}`,
        `${tokens.eth},abc`,
        `${tokens.eth}, ${tokens.usdc}`,
      ])
        expect(await refusedFor(`${path}?asset=${asset}`), asset).toEqual(['query asset'])
      expect(await refusedFor(`${path}?asset=${tokens.eth}&asset=abc`)).toEqual(['query asset'])
      expect(await refusedFor(`${path}?asset=${tokens.eth}&asset=`)).toEqual(['query asset'])
    },
  )
})

describe('integers', () => {
  it.each(['page', 'page_size', 'chain_id'])('%s of the indexer API', async (name) => {
    for (const [nth, path] of paged.entries())
      for (const value of sampleOf(['0', '00', ...notIntegers], paged.length, nth))
        expect(await refusedFor(`${path}${name}=${value}`), path + value).toEqual([`query ${name}`])
  })

  it.each(paged)('page_size is at most 1000: %s', async (path) => {
    expect(await refusedFor(`${path}page_size=1001`)).toEqual(['query page_size'])
    expect((await jsonOf(gateway, `${path}page_size=1000`)).pagination.page_size).toBe(1000)
  })

  it.each(paged)('go up to 2^53-1: %s', async (path) => {
    const answer = await jsonOf(gateway, `${path}page=${Number.MAX_SAFE_INTEGER}&page_size=1000`)
    expect(answer.pagination).toMatchObject({ page: Number.MAX_SAFE_INTEGER, has_more: false })
  })

  it.each(limited)('limit is 1 to 100: %s', async (path) => {
    for (const value of ['0', '101', ...notIntegers])
      expect(await refusedFor(`${path}limit=${value}`), value).toEqual(['query limit'])
    for (const value of [1, 100])
      expect((await gateway.get(`${path}limit=${value}`)).status).toBe(200)
  })

  it.each([
    ...paged.map((path) => `${path}page`),
    ...paged.map((path) => `${path}chain_id`),
    ...limited.map((path) => `${path}limit`),
  ])('are given once: %s', async (parameter) => {
    const name = /(\w+)$/.exec(parameter)?.[1]
    expect(await refusedFor(`${parameter}=1&${name}=1`)).toEqual([`query ${name}`])
  })
})

describe.each(['market', 'vault'])('the window of %s snapshots', (entity) => {
  const path = v1(`${entity}-position-snapshots`)

  it.each(['from_timestamp', 'to_timestamp'])('has digits in %s', async (name) => {
    for (const value of ['', 'd', '-1', '1.5', '1e9', '2026-03-01', '%00', '1%00', '%201', '٣'])
      expect(await refusedFor(`${path}${name}=${value}`), value).toEqual([`query ${name}`])
    expect(await refusedFor(`${path}${name}=1&${name}=2`)).toEqual([`query ${name}`])
  })

  it('does not end before it begins', async () => {
    expect(await refusedFor(`${path}from_timestamp=2&to_timestamp=1`)).toEqual([
      'query from_timestamp',
    ])
    expect(
      await refusedFor(`${path}from_timestamp=9${'0'.repeat(40)}&to_timestamp=1${'0'.repeat(40)}`),
    ).toEqual(['query from_timestamp'])
  })

  it.each(['9223372036854775807', '9223372036854775808', '9'.repeat(500)])(
    'takes the number %s',
    async (value) => {
      expect(
        (await jsonOf(gateway, `${path}from_timestamp=${value}&to_timestamp=${value}`)).data,
      ).toEqual([])
    },
  )

  it.each(['TRUE', '1', 'yes', 'undefined', '%00', 'true,false'])(
    'has no flag "%s"',
    async (flag) => {
      expect(await refusedFor(`${path}should_group_by_timestamp=${flag}`)).toEqual([
        'query should_group_by_timestamp',
      ])
    },
  )

  it('has its flag once', async () => {
    const flag = 'should_group_by_timestamp'
    expect(await refusedFor(`${path}${flag}=true&${flag}=true`)).toEqual([`query ${flag}`])
  })

  it(`has its ${entity} once, and not empty`, async () => {
    expect(await refusedFor(`${path}${entity}=`)).toEqual([`query ${entity}`])
    expect(await refusedFor(`${path}${entity}=${vault}&${entity}=${vault}`)).toEqual([
      `query ${entity}`,
    ])
  })

  it(`has no NUL in its ${entity}`, async () => {
    expect(await refusedFor(`${path}${entity}=a%00b`)).toEqual([`query ${entity}`])
  })
})

describe('cursors and text', () => {
  const breakdowns = limited.slice(0, 3)

  const noRecords = [
    ...['', 'r9-z', 'R1-A', '%00', 'r1-a%00', '%20', "'", '%25'],
    ...['2026-03-01T00:00:00.000Z', 'x'.repeat(3000)],
  ]
  it.each(breakdowns)('a cursor names a record: %s', async (path) => {
    for (const cursor of sampleOf(noRecords, breakdowns.length, breakdowns.indexOf(path)))
      expect(await refusedFor(`${path}cursor=${cursor}`), cursor).toEqual(['query cursor'])
    expect(await refusedFor(`${path}cursor=r1-a&cursor=r1-a`)).toEqual(['query cursor'])
  })

  it.each([
    '',
    'abc',
    '2026-03-01',
    '1772323200',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-01T25:00:00Z',
    '2026-03-01T00:00:00',
    '2026-03-01T00:00:00%2B02:00',
    '2026-03-01T00:00:00.000Z%00',
    'r1-a',
  ])('a cursor of dates is an ISO 8601 UTC timestamp, not "%s"', async (cursor) => {
    expect(await refusedFor(`/points/${ada}?cursor=${cursor}`)).toEqual(['query cursor'])
  })

  it('a cursor of dates is given once', async () => {
    const cursor = 'cursor=2026-03-01T00:00:00Z'
    expect(await refusedFor(`/points/${ada}?${cursor}&${cursor}`)).toEqual(['query cursor'])
  })

  it.each(['', 'a%00b', '%00'])('the market of a breakdown is not "%s"', async (market) => {
    expect(await refusedFor(`/positions/breakdown-by-markets?market=${market}`)).toEqual([
      'query market',
    ])
  })

  it.each(breakdowns)('the sort and the order of positions are known words: %s', async (path) => {
    for (const sort of ['', 'Supplied', 'tvl', 'supplied,points', 'id', '%00', '__proto__'])
      expect(await refusedFor(`${path}sort=${sort}`), sort).toEqual(['query sort'])
    for (const order of ['', 'DESC', 'up', 'asc,desc', '1'])
      for (const sort of ['', 'sort=points&'])
        expect(await refusedFor(`${path}${sort}order=${order}`), order).toEqual(['query order'])
    expect(await refusedFor(`${path}sort=points&sort=points`)).toEqual(['query sort'])
    expect(await refusedFor(`${path}sort[]=points&order[]=asc`)).toEqual([
      'query order',
      'query sort',
    ])
    expect(await refusedFor(`${path}sort=points&cursor=r9-z`)).toEqual(['query cursor'])
    expect(await refusedFor(`${path}sort=x&order=y&limit=0`)).toEqual([
      'query limit',
      'query order',
      'query sort',
    ])
  })

  it('the market of a breakdown is given once', async () => {
    expect(await refusedFor('/positions/breakdown-by-markets?market=a&market=b')).toEqual([
      'query market',
    ])
  })
})

describe('several parameters that are wrong', () => {
  it('are all reported, in the path and in the query', async () => {
    const path =
      '/v1/users/abc/market-position-snapshots?page=0&page_size=1001&chain_id=x&from_timestamp=y&to_timestamp=&market=&should_group_by_timestamp=z'
    expect(await refusedFor(path)).toEqual([
      'path address',
      ...[
        'chain_id',
        'from_timestamp',
        'market',
        'page',
        'page_size',
        'should_group_by_timestamp',
        'to_timestamp',
      ].map((name) => `query ${name}`),
    ])
  })

  it('are reported for a breakdown too', async () => {
    expect(await refusedFor('/points/breakdown-by-assets?limit=0&asset=x&cursor=')).toEqual([
      'query asset',
      'query cursor',
      'query limit',
    ])
  })
})

describe('unknown parameters', () => {
  it.each([
    ...paged,
    ...limited,
    '/points/leaderboard?',
    '/points/userpoints?',
    '/points/reports?',
    `/positions/${ada}?`,
  ])('are ignored: %s', async (path) => {
    const plain = await jsonOf(gateway, path)
    expect(
      await jsonOf(
        gateway,
        `${path}unknown=1&unknown=2&Page=x&__proto__=1&constructor=2&a%00=%00&=&&`,
      ),
    ).toEqual(plain)
  })
})

describe('many assets', () => {
  const path = '/points/breakdown-by-assets'
  const assets = (count: number) =>
    Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`)

  it('may be 200', async () => {
    expect((await gateway.get(`${path}?asset=${assets(200).join(',')}`)).status).toBe(200)
  })

  it('must not be 201', async () => {
    expect(await refusedFor(`${path}?asset=${assets(201).join(',')}`)).toEqual(['query asset'])
    expect(
      await refusedFor(`${path}?asset=${assets(100).join(',')}&asset=${assets(101).join(',')}`),
    ).toEqual(['query asset'])
  })

  it.each([',', '&asset='])(
    'are a 4xx problem document when they are 10,000, joined by %s',
    async (joint) => {
      const response = await sendRaw(
        gateway.base,
        `GET ${path}?asset=${assets(10_000).join(joint)} HTTP/1.1`,
      )
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.status).toBeLessThan(500)
      expectShapes(JSON.parse(response.body), response.status)
    },
  )
})

describe('what no client should send', () => {
  const expectProblem = (
    { status, headers, body }: Awaited<ReturnType<typeof sendRaw>>,
    expected: number,
  ) => {
    expect(status).toBe(expected)
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expectShapes(JSON.parse(body), expected)
    expect(headers).toMatchObject({
      vary: 'Origin',
      'request-id': expect.any(String),
      date: expect.any(String),
      'content-length': String(body.length),
    })
  }

  it.each([`/points/${'a'.repeat(20_000)}`, `/points/reports?x=${'a'.repeat(100_000)}`])(
    'a URL that is too long',
    async (path) => {
      expectProblem(await sendRaw(gateway.base, `GET ${path} HTTP/1.1`), 431)
    },
  )

  it('headers that are too long', async () => {
    expectProblem(await sendRaw(gateway.base, `GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}`), 431)
  })

  it.each([
    'HELLO',
    'GET /points reports HTTP/1.1',
    'GET / HTTP/9.9',
    'GET / HTTP/1.1\r\nno colon',
  ])('no HTTP: %s', async (head) => {
    expectProblem(await sendRaw(gateway.base, head), 400)
  })

  it.each([
    '/points/%',
    '/points/%zz',
    '/points/%E0%A4%A',
    '/positions/%ff',
    '/v1/users/%c3%28/earnings',
    '/%',
    '/unknown/%E0',
    '/docs/%',
  ])('percent-encoding that is broken, in the path: %s', async (path) => {
    expectProblem(await sendRaw(gateway.base, `GET ${path} HTTP/1.1`), 400)
  })

  it.each([
    '/points/reports?a=%',
    '/points/leaderboard?account=%zz',
    `/points/${ada}?cursor=%ff`,
    '/positions/breakdown-by-markets?market=%C3%28',
    '/?%',
  ])('percent-encoding that is broken, in the query: %s', async (path) => {
    expectProblem(await sendRaw(gateway.base, `GET ${path} HTTP/1.1`), 400)
  })

  it.each(['/points/reports?a=\xff', '/points/\xc3\x28'])(
    'bytes in the URL that are no ASCII',
    async (path) => {
      const { status } = await sendRaw(
        gateway.base,
        '',
        Buffer.from(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`, 'latin1'),
      )
      expect([200, 400]).toContain(status)
    },
  )

  it.each([
    '/points/..%2f..%2fetc%2fpasswd',
    '/points/%00',
    '/positions/%00',
    '/docs/rest/assets/..%2f..%2fpackage.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/assets/..%2f..%2fmain.js',
    '/%2e%2e/%2e%2e/etc/passwd',
  ])('paths that would leave: %s', async (path) => {
    const { status, headers } = await sendRaw(gateway.base, `GET ${path} HTTP/1.1`)
    expect([400, 403, 404]).toContain(status)
    expect(headers['content-type']).toMatch(/^application\/problem\+json/)
  })

  it.each([
    '/unknown',
    '/points',
    `/points/${ada}/more`,
    '/v1',
    '/v1/users',
    `/v1/users/${ada}`,
    `/v2/users/${ada}/earnings`,
    '/points//reports',
    '//points/reports',
    '/points/reports//',
    '/points/../points/reports',
    '/points%2Freports',
    '/points%2freports',
  ])('a path that does not exist: %s', async (path) => {
    const { status, headers, body } = await sendRaw(gateway.base, `GET ${path} HTTP/1.1`)
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expectShapes(JSON.parse(body), status)
    expect(status).toBe(404)
  })
})

describe('brackets', () => {
  const lists = ['/points/breakdown-by-assets?', '/positions/breakdown-by-assets?']
  const sent = (path: string) => sendRaw(gateway.base, `GET ${path} HTTP/1.1`)
  const { eth, dai } = tokens

  it.each([
    `asset[]=${eth}&asset[]=${dai}`,
    `asset%5B%5D=${eth}&asset%5b%5d=${dai}`,
    `asset[0]=${eth}&asset[1]=${dai}`,
    `asset%5B1%5D=${eth}&asset%5b0%5d=${dai}`,
    `asset[7]=${eth}&asset[7]=${dai}`,
    `asset[]=${eth},${dai}`,
    `asset=${eth}&asset[]=${dai}`,
    `asset[]=${dai}&asset=${eth}`,
    `asset[0]=${eth.toUpperCase()}&asset=${dai}&asset[]=${eth}`,
  ])('of a list are read as its parts: %s', async (query) => {
    for (const path of lists) {
      const plain = await jsonOf(gateway, `${path}asset=${eth},${dai}&limit=100`)
      expect(plain.items.length).toBeLessThan(
        (await jsonOf(gateway, `${path}limit=100`)).items.length,
      )
      expect(JSON.parse((await sent(`${path}${query}&limit=100`)).body)).toEqual(plain)
    }
  })

  it.each([
    `asset[x]=${eth}`,
    `asset[][]=${eth}`,
    `asset[0][]=${eth}`,
    `asset[=${eth}`,
    `asset[0=${eth}`,
    `asset[]x=${eth}`,
    `asset[-1]=${eth}`,
    `asset[ 0 ]=${eth}`.replaceAll(' ', '%20'),
    `asset[$in][]=${eth}`,
    `asset[__proto__]=${eth}`,
    `asset${'[]'.repeat(5000)}=${eth}`,
    `asset${'['.repeat(10_000)}=${eth}`,
    `asset=${eth}&asset[x]=${eth}`,
    'asset[]=',
    'asset[]',
    'asset[0]=nope',
    `asset[]=${eth}&asset[]=nope`,
  ])('that make no list of addresses are refused: %.60s', async (query) => {
    for (const path of lists) {
      const { status, body } = await sent(path + query)
      expect(status).toBe(400)
      const problem = JSON.parse(body)
      expectShapes(problem, 400)
      expect(problem.errors.map((error: Json) => `${error.in} ${error.name}`)).toEqual([
        'query asset',
      ])
      expect(body.length).toBeLessThan(600)
    }
  })

  const single = [
    '/points/leaderboard?account',
    '/points/userpoints?account',
    '/positions/breakdown-by-markets?market',
    ...limited.flatMap((path) => ['cursor', 'limit'].map((name) => path + name)),
    ...paged.flatMap((path) => ['page', 'page_size', 'chain_id'].map((name) => path + name)),
    ...paged
      .slice(0, 2)
      .flatMap((path) =>
        ['from_timestamp', 'to_timestamp', 'should_group_by_timestamp'].map((name) => path + name),
      ),
    `${v1('market-position-snapshots')}market`,
    `${v1('vault-position-snapshots')}vault`,
    `${v1('market-liquidation-rewards')}market`,
    `${v1('vault-liquidation-rewards')}vault`,
  ]
  it.each(single)('are refused in a parameter that takes one value: %s', async (parameter) => {
    const name = /(\w+)$/.exec(parameter)?.[1]
    for (const brackets of ['[]', '[0]', '%5B%5D', '[x]', '[][]', '['])
      expect(await refusedFor(`${parameter}${brackets}=1`), brackets).toEqual([`query ${name}`])
    expect(await refusedFor(`${parameter}=1&${name}[]=1`)).toEqual([`query ${name}`])
  })

  it('are refused in the date of a run', async () => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    for (const path of ['/points/manualupdate', '/points/resync'])
      for (const query of ['date[]=2026-03-01', 'date[0]=2026-03-01', 'date[x]=2026-03-01']) {
        const problem = await problemOf(
          await fetch(`${gateway.base}${path}?${query}`, { method: 'POST', headers }),
        )
        expect(problem).toMatchObject({ status: 400, errors: [{ in: 'query', name: 'date' }] })
      }
  })
})

describe('a path', () => {
  const variants = [
    [
      '/points/reports',
      '/points/reports/',
      '/Points/REPORTS',
      '/POINTS/Reports/',
      '/%70oints/r%65ports',
    ],
    ['/pools/all', '/Pools/All/', '/POOLS/ALL'],
    ['/health', '/health/', '/HEALTH'],
    [`/points/${ada}?limit=1`, `/points/${ada}/?limit=1`, `/POINTS/${ada.toUpperCase()}?limit=1`],
    [`/v1/users/${ada}/net-apr`, `/V1/Users/${ada}/Net-APR/`],
    ['/graphql?query={program{totalPoints}}', '/GraphQL/?query={program{totalPoints}}'],
  ]
  it.each(variants)(
    'has the same answer with a slash at its end and in any case: %s',
    async (path, ...others) => {
      const asked = await gateway.get(path)
      const text = await asked.text()
      for (const other of others) {
        const response = await gateway.get(other)
        expect([other, response.status, await response.text()]).toEqual([other, asked.status, text])
        expect(response.headers.get('etag')).toBe(asked.headers.get('etag'))
      }
    },
  )

  it('keeps the case of a cursor and of a record', async () => {
    expect((await jsonOf(gateway, '/Points/Breakdown-By-Assets/?cursor=r1-B')).items[0].id).toBe(
      'r1-a',
    )
    expect(await refusedFor('/Points/Breakdown-By-Assets/?cursor=R1-b')).toEqual(['query cursor'])
  })

  it.each(['/Points/Reports/', '/points/reports/'])(
    'takes its own methods alone: %s',
    async (path) => {
      const response = await fetch(gateway.base + path, { method: 'DELETE' })
      expect((await problemOf(response)).status).toBe(405)
      expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD'])
    },
  )

  it.each([
    '/points/..',
    '/points/.',
    '/points/%2e%2e',
    '/positions/%2E%2E',
    '/points/%2Freports',
    '/v1/users/../earnings',
  ])('with something else for an address is a 400: %s', async (path) => {
    const { status, body } = await sendRaw(gateway.base, `GET ${path} HTTP/1.1`)
    expect(status).toBe(400)
    expectShapes(JSON.parse(body), 400)
  })

  it('of thousands of slashes takes no time that grows with their square', async () => {
    const since = performance.now()
    for (let i = 0; i < 20; i++)
      expect((await gateway.get(`${'/'.repeat(15_000)}a`)).status).toBe(404)
    expect(performance.now() - since).toBeLessThan(2000)
  })
})

describe('methods', () => {
  const reads = [
    '/',
    '/health',
    '/openapi.json',
    '/points/leaderboard',
    '/points/userpoints',
    '/points/breakdown-by-assets',
    '/points/reports',
    `/points/${ada}`,
    '/multipliers/all',
    '/pools/all',
    '/positions/breakdown-by-assets',
    '/positions/breakdown-by-markets',
    `/positions/${ada}`,
    ...paged.map((path) => path.split('?')[0] as string),
  ]
  const changes = ['/points/manualupdate', '/points/resync', '/multipliers/update']

  it.each(reads)('%s takes GET and HEAD', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const response = await fetch(gateway.base + path, { method })
      expect((await problemOf(response)).status, method).toBe(405)
      expect(response.headers.get('allow')?.split(', ').sort(), method).toEqual(['GET', 'HEAD'])
    }
  })

  it.each(changes)('%s takes POST', async (path) => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(gateway.base + path, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      })
      expect((await problemOf(response)).status, method).toBe(405)
      expect(response.headers.get('allow'), method).toContain('POST')
    }
  })

  it('a method that HTTP does not have is a 4xx', async () => {
    const { status } = await sendRaw(gateway.base, 'FROB /points/reports HTTP/1.1')
    expect(status).toBe(400)
  })

  it.each([...reads, '/points/abc', '/unknown'])(
    'HEAD of %s answers as GET, without the body',
    async (path) => {
      const asked = (method: string) =>
        fetch(gateway.base + path, { method, headers: { 'accept-encoding': 'identity' } })
      const [get, head] = await Promise.all([asked('GET'), asked('HEAD')])
      expect(await head.text()).toBe('')
      expect(head.status).toBe(get.status)
      for (const name of ['content-type', 'content-length', 'etag', 'vary', 'cache-control'])
        expect(head.headers.get(name), name).toBe(get.headers.get(name))
      expect(Number(head.headers.get('content-length'))).toBe(Buffer.byteLength(await get.text()))
    },
  )

  it('takes a wrong method with a body', async () => {
    const response = await fetch(`${gateway.base}/points/reports`, {
      method: 'DELETE',
      body: 'x'.repeat(1000),
    })
    expect(response.status).toBe(405)
  })
})

describe('CORS', () => {
  it.each(['/points/reports', '/multipliers/update', '/v1/users/x/earnings', '/unknown'])(
    'a preflight of %s is answered',
    async (path) => {
      const headers = {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type',
      }
      const response = await fetch(gateway.base + path, { method: 'OPTIONS', headers })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-methods')).toMatch(/POST/)
      expect(response.headers.get('access-control-allow-headers')).toMatch(/authorization/)
      expect(response.headers.get('vary')).toBe('Origin, Access-Control-Request-Headers')
      expect(response.headers.get('request-id')).toBeTruthy()
    },
  )

  it.each(['/points/reports', '/points/abc', '/unknown', '/health'])(
    'any origin may read %s, without credentials',
    async (path) => {
      const { headers } = await gateway.get(path, { origin: 'https://app.example' })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.get('access-control-expose-headers')).toMatch(/request-id/)
    },
  )
})

describe('bodies', () => {
  const post = (path: string, body: BodyInit, type = 'application/json') =>
    fetch(gateway.base + path, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': type },
    })
  const changes = ['/points/manualupdate', '/points/resync', '/multipliers/update']

  it.each(changes)('of %s must be JSON', async (path) => {
    for (const body of [
      '{',
      'date=2026-03-01',
      '{"date": }',
      "{'date': 1}",
      '\0',
      'undefined',
      '{"a":1}{"a":2}',
      new Uint8Array([0x22, 0xff, 0xfe, 0x22]),
    ]) {
      const problem = await problemOf(await post(path, body))
      expect(problem).toMatchObject({ status: 400, errors: [{ in: 'body' }] })
    }
  })

  it.each(changes)('of %s must be an object (or a list of multipliers)', async (path) => {
    for (const body of ['1', '"text"', 'true', 'null'])
      expect((await problemOf(await post(path, body))).status, body).toBe(400)
  })

  it.each(changes)('of %s may have 1 MiB at most', async (path) => {
    expect((await problemOf(await post(path, `"${'a'.repeat(1024 * 1024)}"`))).status).toBe(413)
    expect((await problemOf(await post(path, `"${'a'.repeat(1024 * 1024 - 2)}"`))).status).toBe(400)
  })

  it('that are too long are a 413 without a length too', async () => {
    const chunk = `${'10000'}\r\n${'a'.repeat(0x10000)}\r\n`
    const head = `POST /points/resync HTTP/1.1\r\nauthorization: Bearer ${ADMIN_TOKEN}\r\ntransfer-encoding: chunked`
    expect((await sendRaw(gateway.base, head, `${chunk.repeat(17)}0\r\n\r\n`)).status).toBe(413)
  })

  it('with an invalid content type are a 415', async () => {
    expect((await problemOf(await post('/points/resync', '{}', 'x'))).status).toBe(415)
  })

  it('that are deep do not bring the server down', async () => {
    expect(
      (await post('/multipliers/update', '['.repeat(200_000) + ']'.repeat(200_000))).status,
    ).toBe(400)
    expect((await gateway.get('/health')).status).toBe(200)
  })
})
