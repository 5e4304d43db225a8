import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import * as consumers from 'node:stream/consumers'
import { asyncBufferFromUrl, parquetReadObjects } from 'hyparquet'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { GatewayError } from '../../src/errors.ts'
import { Files } from '../../src/tables/files.ts'
import { type Gateway, hasPlans, startGateway } from '../support/gateway.ts'
import { loadSample, startOnSample } from '../support/sample.ts'

/** Whole lists as CSV, JSON Lines and Parquet. */

let gateway: Gateway
// A gateway whose positions are too large for the buffers of a connection.
let heavy: Gateway

beforeAll(async () => {
  gateway = await startOnSample({ users: 60, days: 40 })
  heavy = await startOnSample({ users: 60, days: 40, env: { SEND_TIMEOUT_MS: '2000' } })
  await widenNames()
})
afterAll(async () => {
  await gateway?.close()
  await heavy?.close()
})

const widenNames = (of = heavy) =>
  of.deps.store.pool.query("UPDATE pool SET name = repeat('wide ', 4000)")

const HEAVY = '/tables/positions.jsonl?fields=id,points,pool.name'

const linesOf = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

async function textAt(path: string, of = gateway): Promise<string> {
  const response = await of.get(path)
  const text = await response.text()
  expect([response.status, text.slice(0, 200)]).toEqual([200, text.slice(0, 200)])
  return text
}

const selectionOf = (columns: string[]): string =>
  columns
    .map((column) => column.replaceAll('.', ' { ') + ' }'.repeat(column.split('.').length - 1))
    .join(' ')

const valueAt = (row: any, column: string) =>
  column.split('.').reduce((value, key) => value?.[key] ?? null, row)

/** All rows of a list, page by page from the graph, with the columns of its table. */
async function rowsInGraph(name: string, columns: string[]): Promise<object[]> {
  const rows: object[] = []
  for (let after: string | null = null; ; ) {
    const query = `query ($after: String) { list: ${name}(first: 700, after: $after) {
      nodes { ${selectionOf(columns)} } pageInfo { hasNextPage endCursor } } }`
    const { list } = await gateway.ask(query, { after })
    for (const node of list.nodes)
      rows.push(Object.fromEntries(columns.map((column) => [column, valueAt(node, column)])))
    if (!list.pageInfo.hasNextPage) return rows
    after = list.pageInfo.endCursor
  }
}

/** Opens a table and reads nothing of it. */
async function stalledAt(path: string, of: Gateway, headers = {}): Promise<IncomingMessage> {
  const sent = request(of.base + path, { agent: false, headers }).end()
  const [response] = await once(sent, 'response')
  response.on('error', () => {})
  return response
}

const transactions = async ({ deps }: Gateway): Promise<number> => {
  const { rows } = await deps.store.pool.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND xact_start IS NOT NULL
       AND application_name = 'gateway' AND pid <> pg_backend_pid()`,
  )
  return rows[0].count
}

describe.runIf(hasPlans)('tables', () => {
  test('every table has all rows of its list, in its order, in both formats', async () => {
    const { tables } = JSON.parse(await textAt('/tables'))
    expect(tables.length).toBeGreaterThan(13)
    for (const { name, columns } of tables) {
      const rows = linesOf(await textAt(`/tables/${name}.jsonl`))
      expect(rows, name).toEqual(await rowsInGraph(name, columns))
      const ids = linesOf(await textAt(`/tables/${name}.jsonl?fields=id`))
      const csv = await textAt(`/tables/${name}.csv?fields=id`)
      expect(csv.trimEnd().split('\n'), name).toEqual(['id', ...ids.map(({ id }) => id)])
    }
    const positions = linesOf(await textAt('/tables/positions.jsonl?fields=id'))
    expect(await transactions(gateway)).toBe(0)
    expect(positions.length).toBeGreaterThan(2000)
  })

  test('a table goes on after the cursor of its last row, with the same filter and order', async () => {
    const [{ date }] = linesOf(await textAt('/tables/distributions.jsonl?first=1&fields=date'))
    const where = encodeURIComponent(JSON.stringify({ date: { gte: '2020-01-01', lte: date } }))
    const path = `/tables/positions.jsonl?where=${where}&fields=id,date&cursor=true`
    const whole = linesOf(await textAt(path))
    const first = linesOf(await textAt(`${path}&first=1234`))
    expect(first).toHaveLength(1234)
    const rest = linesOf(await textAt(`${path}&after=${first.at(-1).cursor}`))
    expect([...first, ...rest]).toEqual(whole)
    const other = await gateway.get(`/tables/positions.csv?after=${first.at(-1).cursor}`)
    expect([other.status, (await other.json()).detail]).toEqual([
      400,
      expect.stringContaining('another filter or order'),
    ])
  })

  test('arguments of the list are parameters', async () => {
    const rows = linesOf(
      await textAt(
        '/tables/users.jsonl?orderBy=TOTAL_POINTS,ADDRESS&orderDirection=DESC&fields=totalPoints&first=5',
      ),
    )
    expect(rows).toHaveLength(5)
    expect(rows).toEqual(rows.toSorted((a, b) => b.totalPoints - a.totalPoints))
    const shock = encodeURIComponent(JSON.stringify({ change: -0.9, group: 'ETH' }))
    const fallen = linesOf(await textAt(`/tables/currentPositions.jsonl?shock=${shock}&fields=id`))
    const { list } = await gateway.ask(
      '{ list: currentPositions(shock: { change: -0.9, group: "ETH" }) { nodes { id } } }',
    )
    expect(fallen).toEqual(list.nodes)
    const [{ date }] = linesOf(await textAt('/tables/distributions.jsonl?fields=date')).slice(-1)
    const scope = encodeURIComponent(JSON.stringify({ asOf: date }))
    const board = linesOf(
      await textAt(`/tables/leaderboard.jsonl?scope=${scope}&fields=rank,points,user.address`),
    )
    const { then } = await gateway.ask(`{ then: leaderboard(scope: { asOf: "${date}" }) {
      nodes { rank points user { address } } } }`)
    const shown = board.map(({ rank, points, 'user.address': address }) => ({
      ...{ rank, points, user: { address } },
    }))
    expect(shown).toEqual(then.nodes)
    const leader = board[0]['user.address']
    const where = encodeURIComponent(JSON.stringify({ users: [leader] }))
    const history = linesOf(
      await textAt(`/tables/positions.jsonl?where=${where}&fields=user.address`),
    )
    expect(history.length).toBeGreaterThan(0)
    expect(new Set(history.map((row) => row['user.address']))).toEqual(new Set([leader]))
  })

  test('a table has an etag until the data change, and one of a past date is kept for good with its run', async () => {
    const [row] = linesOf(
      await textAt('/tables/distributions.jsonl?first=1&fields=date,run.recordId'),
    )
    const where = encodeURIComponent(JSON.stringify({ date: { eq: row.date } }))
    const scope = encodeURIComponent(JSON.stringify({ asOf: row.date }))
    const { pool } = gateway.deps.store
    for (const path of [
      `/tables/positions.csv?where=${where}`,
      `/tables/leaderboard.jsonl?scope=${scope}`,
      `/tables/multipliers.csv?asOf=${row.date}`,
      '/tables/pools.csv?orderBy=NAME',
    ]) {
      const tagOf = async () => (await gateway.get(path)).headers.get('etag') as string
      const tag = await tagOf()
      expect([path, tag]).toEqual([path, expect.stringMatching(/^".+"$/)])
      expect(await tagOf()).toBe(tag)
      gateway.statements.length = 0
      const known = await gateway.get(path, { 'if-none-match': `"other", W/${tag}` })
      expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, tag, ''])
      expect(gateway.statements.filter((text) => /FETCH|DECLARE/.test(text))).toEqual([])
      expect((await gateway.get(`${path}&first=1`)).headers.get('etag')).not.toBe(tag)
      await pool.query('UPDATE pool SET name = name')
      expect(await tagOf()).not.toBe(tag)
    }
    const ofRun = `/tables/positions.csv?where=${where}&run=`
    const kept = await gateway.get(ofRun + row['run.recordId'])
    expect([kept.status, kept.headers.get('cache-control')]).toEqual([
      200,
      expect.stringContaining('immutable'),
    ])
    const other = await gateway.get(`${ofRun}987654`)
    expect([other.status, (await other.json()).detail]).toEqual([
      409,
      `The run of ${row.date} is ${row['run.recordId']}, not 987654.`,
    ])
    expect(other.headers.get('cache-control') ?? '').not.toContain('immutable')
  })

  test.each([
    ['/tables/nothing.csv', 404, 'leaderboard'],
    ['/tables/positions.xml', 406, 'csv, jsonl, parquet'],
    ['/tables/positions.csv.gz', 406, 'csv, jsonl, parquet'],
    ['/tables/positions.constructor', 406, 'csv, jsonl, parquet'],
    ['/tables/positions.csv?limit=1', 400, 'asOf'],
    ['/tables/positions.csv?run=1', 400, 'needs where'],
    ['/tables/leaderboard.csv?run=1', 400, 'needs where'],
    ['/tables/positions.csv?where={"date":{"eq":"2026-01-02"}}&run=x', 400, 'number of a run'],
    ['/tables/positions.parquet?where={"date":{"eq":"2026-01-02"}}&run=1', 400, 'parquet'],
    ['/tables/positions.csv?last=1', 400, 'asOf'],
    ['/tables/positions.csv?first=-1', 400, 'whole number'],
    ['/tables/positions.csv?first=1&first=2', 400, 'once'],
    ['/tables/positions.csv?where={', 400, 'JSON'],
    ['/tables/positions.csv?where=%7B%22a%22:1%7D', 400, 'PositionFilter'],
    ['/tables/positions.csv?orderBy=NAME', 400, 'PositionOrder'],
    ['/tables/positions.csv?orderBy=POINTS', 400, 'where.date.eq'],
    ['/tables/positions.csv?after=zz', 400, 'cursor'],
    ['/tables/positions.csv?cursor=yes', 400, 'true or false'],
    ['/tables/positions.csv?for=paper', 400, 'spreadsheet'],
    ['/tables/positions.csv?fields=', 400, 'sideA'],
    ['/tables/positions.csv?fields=id,nothing', 400, 'healthFactor'],
    ['/tables/positions.csv?fields=user', 400, 'user.address'],
    ['/tables/positions.csv?fields=user.positions.nodes.id', 400, 'no column'],
    ['/tables/positions.csv?fields=__proto__.x', 400, 'no column'],
    [`/tables/positions.csv?fields=${'a,'.repeat(101)}${[...Array(101).keys()]}`, 400, '100'],
    ['/tables/activity.csv?orderBy=TIME&where=%5B1,2%5D', 400, 'ActivityFilter'],
  ])('%s is refused with %i and says what there is', async (path, status, words) => {
    const response = await gateway.get(path)
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(words),
    ])
  })

  test('the format is of the path or of what is accepted; HEAD has no rows', async () => {
    const typeFor = async (accept?: string, method = 'GET') => {
      const headers: Record<string, string> = accept === undefined ? {} : { accept }
      const url = `${gateway.base}/tables/pools?fields=name&first=1`
      const response = await fetch(url, { method, headers })
      return `${response.status} ${response.headers.get('content-type')?.split(';')[0]}`
    }
    expect(await typeFor()).toBe('200 text/csv')
    expect(await typeFor('application/x-ndjson')).toBe('200 application/x-ndjson')
    expect(await typeFor('application/x-ndjson, text/csv;q=0.5')).toBe('200 application/x-ndjson')
    expect(await typeFor('text/csv;q=0.1, application/x-ndjson')).toBe('200 application/x-ndjson')
    expect(await typeFor('text/csv;q=0, */*;q=0.5')).toBe('200 application/x-ndjson')
    expect(await typeFor('text/csv; charset=UTF-8')).toBe('200 text/csv')
    expect(await typeFor('text/html, */*;q=0.8')).toBe('200 text/csv')
    expect(await typeFor('text/csv;q=0')).toBe('406 application/problem+json')
    expect(await typeFor('application/json')).toBe('406 application/problem+json')
    expect(await typeFor('image/png')).toBe('406 application/problem+json')
    expect(await typeFor('text/csv', 'POST')).toBe('405 application/problem+json')
    const varies = async (path: string) => (await gateway.get(path)).headers.get('vary')
    expect(await varies('/tables/pools?first=1')).toBe('Origin, Accept')
    expect(await varies('/tables/pools.csv?first=1')).toBe('Origin')
    const head = await fetch(`${gateway.base}/tables/pools.csv`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBeNull()
    expect(head.headers.get('content-disposition')).toBe('attachment; filename="pools.csv"')
  })

  test('a table without `fields` begins with what a row is about, and names what it links to', async () => {
    const headOf = async (name: string) => (await textAt(`/tables/${name}.csv?first=0`)).trimEnd()
    expect(await headOf('leaderboard')).toBe('rank,user.address,points')
    expect(await headOf('positions')).toMatch(
      /^date,user\.address,poolAddress,pool\.displayName,borrowing/,
    )
    expect(await headOf('pools')).toContain(',assetA.address,assetA.symbol,')
  })

  test('a table of an empty store has its columns alone', async () => {
    const empty = await startGateway()
    try {
      expect(await textAt('/tables/positions.csv?fields=id,points', empty)).toBe('id,points\n')
      expect(await textAt('/tables/leaderboard.jsonl', empty)).toBe('')
    } finally {
      await empty.close()
    }
  })

  test('a value is the same as in the graph, whatever is in it', async () => {
    const { pool } = heavy.deps.store
    const texts = [
      '"],"name":[{',
      'ends with \\',
      '\\"',
      'a,b\nc\td',
      '{"nodes":[',
      'né 🦀',
      'null',
    ]
    await pool.query(
      `UPDATE vault v SET name = ($1::text[])[1 + o.n % ${texts.length}]
       FROM (SELECT ctid, row_number() OVER () AS n FROM vault) o WHERE o.ctid = v.ctid`,
      [texts],
    )
    const { vaults } = await heavy.ask('{ vaults(first: 100) { nodes { name } } }')
    const names = vaults.nodes.map(({ name }: { name: string }) => name)
    expect(new Set(names)).toEqual(new Set(texts))
    const lines = linesOf(await textAt('/tables/vaults.jsonl?fields=name,name', heavy))
    expect(lines.map(({ name }) => name)).toEqual(names)
    const quoted = (name: string) =>
      /[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name
    const csv = await textAt('/tables/vaults.csv?fields=name', heavy)
    expect(csv).toBe(`name\n${names.map((name: string) => `${quoted(name)}\n`).join('')}`)
  })

  test('numbers have all their digits, and an object that is null has no values', async () => {
    const { pool } = heavy.deps.store
    const { rows } = await pool.query(
      `UPDATE stored_position SET points_a = 8589934592000000, points_b = 8589934591000001, run_id = NULL
       WHERE id = (SELECT max(id) FROM stored_position)
       RETURNING id, distribution_date::text AS date`,
    )
    const [{ id: key, date }] = rows
    const where = encodeURIComponent(JSON.stringify({ date: { eq: date }, points: { gte: 9e9 } }))
    const path = `?where=${where}&fields=run.recordId,points,run.basePointsBorrow,id`
    const id = Buffer.from(`Position:${key}`).toString('base64')
    expect(await textAt(`/tables/positions.csv${path}`, heavy)).toBe(
      `run.recordId,points,run.basePointsBorrow,id\n,17179869183.000001,,${id}\n`,
    )
    expect(await textAt(`/tables/positions.jsonl${path}`, heavy)).toBe(
      '{"run.recordId":null,"points":17179869183.000001,"run.basePointsBorrow":null,' +
        `"id":"${id}"}\n`,
    )
  })

  test('names are harmless in a spreadsheet, which keeps all digits of whole numbers', async () => {
    const { pool } = heavy.deps.store
    await pool.query(`UPDATE vault SET name = '=HYPERLINK("https://evil.example")'`)
    const vaults = await textAt('/tables/vaults.csv?fields=name&first=1', heavy)
    expect(vaults).toBe(`name\n"'=HYPERLINK(""https://evil.example"")"\n`)
    const [json] = linesOf(await textAt('/tables/vaults.jsonl?fields=name&first=1', heavy))
    expect(json.name).toBe('=HYPERLINK("https://evil.example")')
    const bytes = Buffer.from(
      await (
        await heavy.get('/tables/activity.csv?fields=amount.raw,time&for=spreadsheet')
      ).arrayBuffer(),
    )
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
    const lines = bytes.toString().split('\n').slice(1, -1)
    const long = lines.filter((line) => /^'\d{16,},\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(line))
    expect(long.length).toBeGreaterThan(0)
    expect(lines.filter((line) => /^\d{16,},/.test(line))).toEqual([])
    const values = await textAt('/tables/activity.csv?fields=amount.value&for=spreadsheet', heavy)
    const fractions = values.split('\n').filter((line) => /^\d+\.\d{15,}$/.test(line))
    expect(fractions.length).toBeGreaterThan(0)
    expect(values).not.toMatch(/^'\d{1,15}\./m)
  })
})

describe.runIf(hasPlans)('Parquet', () => {
  const PATH =
    '/tables/positions.parquet?fields=id,date,points,user.address,run.finishedAt&cursor=true'

  test('has the rows of JSON Lines, read by ranges of its address', async () => {
    const ranges: number[] = []
    const counting: typeof fetch = async (url, options) => {
      const response = await fetch(url, options)
      ranges.push(response.status)
      return response
    }
    const file = await asyncBufferFromUrl({ url: gateway.base + PATH, fetch: counting })
    const rows = await parquetReadObjects({ file })
    const expected = linesOf(await textAt(PATH.replace('parquet', 'jsonl')))
    expect(rows.length).toBeGreaterThan(2000)
    expect(JSON.parse(JSON.stringify(rows))).toEqual(
      expected.map((row) => ({ ...row, date: `${row.date}T00:00:00.000Z` })),
    )
    expect(ranges.filter((status) => status === 206).length).toBeGreaterThan(0)
  })

  test('has exact amounts as text, whole numbers as such, and lists as JSON', async () => {
    const path = '/tables/activity.parquet?fields=amount.raw,logIndex,closed'
    const buffer = await (await gateway.get(path)).arrayBuffer()
    const rows = await parquetReadObjects({ file: buffer })
    const lines = linesOf(await textAt(path.replace('parquet', 'jsonl')))
    expect(rows.map((row) => row['amount.raw'])).toEqual(lines.map((row) => row['amount.raw']))
    expect(typeof rows[0]?.logIndex).toBe('bigint')
  })

  test('is one file for all ranges, also after a change, and has its tag', async () => {
    const path = '/tables/pools.parquet?fields=address,displayName'
    const of = (headers: Record<string, string>, method = 'GET') =>
      fetch(heavy.base + path, { method, headers })
    const head = await of({}, 'HEAD')
    const size = Number(head.headers.get('content-length'))
    const tag = head.headers.get('etag') ?? ''
    expect([head.status, head.headers.get('accept-ranges'), size > 100]).toEqual([
      200,
      'bytes',
      true,
    ])
    await heavy.deps.store.pool.query("UPDATE pool SET name = repeat('more ', 4000)")
    const end = await of({ range: 'bytes=-8' })
    expect([end.status, end.headers.get('content-range')]).toEqual([
      206,
      `bytes ${size - 8}-${size - 1}/${size}`,
    ])
    expect(
      Buffer.from(await end.arrayBuffer())
        .subarray(4)
        .toString(),
    ).toBe('PAR1')
    expect(end.headers.get('etag')).toBe(tag)
    const start = await of({ range: 'bytes=0-3', 'if-range': tag })
    expect([start.status, await start.text()]).toEqual([206, 'PAR1'])
    expect((await of({ range: 'bytes=0-3', 'if-range': '"other"' })).status).toBe(200)
    expect((await of({ range: `bytes=${size}-` })).status).toBe(416)
    expect((await of({ range: 'bytes=0-1,5-6' })).status).toBe(200)
    for (const known of [tag, `"other", ${tag}`, `W/${tag}`, '*'])
      expect([known, (await of({ 'if-none-match': known })).status]).toEqual([known, 304])
  })

  test('that takes long keeps no other file and no read waiting', async () => {
    const env = { MAX_CONCURRENT_REQUESTS: '4' }
    const filled = await startOnSample({ users: 20, days: 10, env })
    const lock = await filled.deps.store.pool.connect()
    try {
      await lock.query('BEGIN; LOCK TABLE position')
      const waiting = Array.from({ length: 8 }, () => filled.get('/tables/positions.parquet'))
      await expect.poll(() => transactions(filled)).toBeGreaterThan(1)
      const other = await filled.get('/tables/pools.parquet?fields=address')
      expect([other.status, (await other.arrayBuffer()).byteLength > 0]).toEqual([200, true])
      const { pools } = await filled.ask('{ pools(first: 1) { nodes { id } } }')
      expect(pools.nodes).toHaveLength(1)
      await lock.query('ROLLBACK')
      for (const one of await Promise.all(waiting)) {
        expect(one.status).toBe(200)
        await one.arrayBuffer()
      }
    } finally {
      lock.release()
      await filled.close()
    }
  }, 30_000)

  test('is made by one who waits for it, if the client that began it has no points left', async () => {
    const files = new Files()
    const version = async () => '1'
    try {
      const first = files.of('key', version, async () => {
        throw new GatewayError('RATE_LIMITED', 'no points')
      })
      const second = files.of('key', version, (path) => writeFile(path, 'PAR1'))
      await expect(first).rejects.toThrow('no points')
      expect((await second).size).toBe(4)
    } finally {
      await files.close()
    }
  })

  test('of an empty store is a file without rows; a spreadsheet reads none', async () => {
    const empty = await startGateway()
    try {
      const buffer = await (await empty.get('/tables/pools.parquet')).arrayBuffer()
      expect(await parquetReadObjects({ file: buffer })).toEqual([])
    } finally {
      await empty.close()
    }
    const refused = await gateway.get('/tables/pools.parquet?for=spreadsheet')
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('CSV')])
  })
})

describe.runIf(hasPlans)('a table that takes long', () => {
  const open: IncomingMessage[] = []
  afterEach(async () => {
    for (const one of open.splice(0)) one.destroy()
    await expect.poll(() => transactions(heavy)).toBe(0)
  })

  test('is of one snapshot while an import lands', async () => {
    const filled = await startOnSample({ users: 60, days: 40 })
    const { pool } = filled.deps.store
    const count = async () =>
      (await pool.query('SELECT count(*)::int AS count FROM position')).rows[0].count
    await widenNames(filled)
    const before = await count()
    const response = await stalledAt(HEAVY, filled)
    await loadSample(filled, { users: 90, days: 41 })
    expect(await count()).toBeGreaterThan(before)
    const rows = linesOf(await consumers.text(response))
    expect(rows).toHaveLength(before)
    expect(new Set(rows.map((row) => row['pool.name'].slice(0, 5)))).toEqual(new Set(['wide ']))
    await filled.close()
  })

  test('leaves its connection when its reader goes or stalls', async () => {
    const filled = await startOnSample({ users: 60, days: 40, env: { SEND_TIMEOUT_MS: '2500' } })
    try {
      await widenNames(filled)
      const leaving = await stalledAt(HEAVY, filled)
      await expect.poll(() => transactions(filled)).toBe(1)
      leaving.destroy()
      await expect.poll(() => transactions(filled)).toBe(0)
      const stalling = await stalledAt(HEAVY, filled)
      const ended = new Promise((resolve) => stalling.once('close', resolve))
      await expect.poll(() => transactions(filled)).toBe(1)
      await expect.poll(() => transactions(filled), { timeout: 15_000 }).toBe(0)
      stalling.resume()
      await ended
      expect(stalling.complete).toBe(false)
    } finally {
      await filled.close()
    }
  })

  test('has two others of its client next to it at most, and reads and other clients go on', async () => {
    const filled = await startOnSample({ users: 60, days: 40, env: { TRUST_PROXY: '1' } })
    try {
      await widenNames(filled)
      const all = await Promise.all(Array.from({ length: 50 }, () => stalledAt(HEAVY, filled)))
      open.push(...all)
      const refused = all.filter(({ statusCode }) => statusCode === 429)
      expect(all.filter(({ statusCode }) => statusCode === 200)).toHaveLength(3)
      expect(refused).toHaveLength(47)
      expect(refused[0]?.headers['retry-after']).toBe('5')
      const at = performance.now()
      for (let i = 0; i < 20; i++)
        await filled.ask('{ leaderboard(first: 10) { nodes { rank user { address } } } }')
      expect(performance.now() - at).toBeLessThan(2000)
      const from = (address: string) => stalledAt(HEAVY, filled, { 'x-forwarded-for': address })
      const others = [await from('203.0.113.1'), await from('203.0.113.2')]
      open.push(...others)
      expect(others.map(({ statusCode }) => statusCode)).toEqual([200, 429])
      for (const one of [...all, ...others]) one.destroy()
      await expect
        .poll(async () => (await filled.get('/tables/pools.csv?fields=address')).status)
        .toBe(200)
    } finally {
      await filled.close()
    }
  })

  test('is charged as it goes, and waits when the points of the minute are used', async () => {
    const limited = await startOnSample({ users: 60, days: 40, env: { RATE_LIMIT: '450' } })
    try {
      const path = '/tables/positions.csv?fields=id&first=1000'
      const response = await limited.get(path)
      expect(response.headers.get('ratelimit')).toMatch(/^"points";r=4[34]\d;/)
      await response.text()
      const { headers } = await limited.get('/tables/positions.csv?fields=id&first=0')
      expect(headers.get('ratelimit')).toMatch(/^"points";r=2\d\d;/)
      await (await limited.get(path)).text()
      // The points end within this one, which then waits.
      const waiting = await limited.get(path)
      expect(waiting.status).toBe(200)
      const end = waiting.text().then(
        () => 'whole',
        () => 'broken',
      )
      const soon = new Promise((resolve) => setTimeout(resolve, 500, 'waits'))
      expect(await Promise.race([end, soon])).toBe('waits')
      let refused = waiting
      for (let i = 0; i < 40 && refused.status === 200; i++)
        refused = await limited.get('/tables/positions.csv?fields=id&first=100')
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await limited.close()
    }
  })
})
