/**
 * Each surface of the graph side by side with SQL written by hand: filters and orders, series,
 * aggregates, as-of, ranks, portfolios, many users, search; and the thousandth page of lists next
 * to their first.
 *
 *     npm run bench -- surfaces         on 3,000,000 positions
 *     npm run bench -- surfaces --small on 1 % of the rows: a minute
 *
 *     --only REGEX            these surfaces
 *     --rounds N              how many rounds, each of 20 requests of each kind
 *     --data DIR              where the store stays between runs
 *
 * A query is sent by HTTP and answered past every cache, on one connection; its statement is sent
 * by pg, prepared, on one connection, right before it. Nothing is timed whose answers differ.
 * Figures are medians.
 */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { report, round } from '../report.ts'
import { answerFrom } from '../speed/check.ts'
import { difference } from '../speed/compare.ts'
import { openSpeedStore, SHAPES, type SpeedStore } from '../speed/data.ts'
import { each, wire } from '../speed/load.ts'
import { median } from '../speed/measure.ts'
import { deepPages } from '../speed/parts.ts'
import { pinRest, type Server, startProduct } from '../speed/processes.ts'
import { countStatements, isFrame } from '../speed/statements.ts'
import { type Surface, surfacesOf } from './surfaces.ts'

const { values: flags } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '15' },
    data: { type: 'string', default: join(tmpdir(), 'gateway-speed') },
  },
})
const BURST = 20
const rounds = Number(flags.rounds)
const say = (text: string) => process.stderr.write(`${text}\n`)

const size = flags.small ? 'small' : 'full'
const store = await openSpeedStore(SHAPES[size], join(flags.data, size), say)
const counter = await countStatements(store.url)
const servers: Server[] = []
try {
  const serve = async (url: string) => {
    const server = await startProduct(url, { CACHE_MAX_BYTES: '0' })
    servers.push(server)
    return server
  }
  const [server, counted] = [await serve(store.url), await serve(counter.url)]
  pinRest(store.pid)
  await standingsReady(store)

  const rows: Record<string, string | number>[] = []
  for (const surface of surfacesOf(store).filter(({ name }) => new RegExp(flags.only).test(name))) {
    await assertSame(surface)
    const statements = await statementsOf(counted, surface)
    const { sql, graphql } = await timed(surface)
    rows.push({
      surface: surface.name,
      rows: (await rowsOf(surface, 0)).length,
      statements,
      'SQL ms': round(sql),
      'GraphQL ms': round(graphql),
      times: round(graphql / sql),
      'more ms': round(graphql - sql),
    })
    say(`${surface.name}: ${round(sql)} ms, ${round(graphql)} ms`)
  }

  const { names } = store
  const depth = await deepPages(
    server,
    {
      user: names.many[0] as string,
      pool: names.pools[0] as string,
      market: names.markets[0] as string,
      vault: names.vaults[0] as string,
      asset: names.aTokens[0] as string,
      date: '2025-03-02',
    },
    (page) => ({
      'positions by a filter': `positions(where: { points: { gt: 0 }, suppliedUsd: { gte: 1 },
        date: { gte: "2025-03-01", lte: "2025-03-30" } }, ${page}) {
        nodes { id points } pageInfo { hasNextPage endCursor } }`,
      'the leaderboard as of a date': `leaderboard(scope: { asOf: "2025-03-15" }, ${page}) {
        nodes { rank user { address } points } pageInfo { hasNextPage endCursor } }`,
    }),
  )
  for (const [name, { first, thousandth }] of Object.entries(depth))
    rows.push({
      surface: `page 1,000 of ${name}`,
      'page 1 ms': round(first),
      'page 1,000 ms': round(thousandth),
      times: round(thousandth / first),
    })
  report(
    'surfaces',
    { size, rounds, burst: BURST },
    rows,
    Object.entries(depth).map(([name, { first, thousandth }]) => ({
      name: `page 1,000 of ${name}, to page 1`,
      value: thousandth / first,
      atMost: 1.2,
    })),
  )

  async function assertSame(surface: Surface): Promise<void> {
    for (const [i, { variables }] of surface.variants.entries()) {
      const { text } = await answerFrom(server.port, {
        path: '/graphql',
        body: { query: surface.query, variables },
      })
      const answer = surface.rows(JSON.parse(text).data)
      const told = await rowsOf(surface, i)
      const [one, other] = surface.unordered ? [sorted(answer), sorted(told)] : [answer, told]
      if (told.length === 0)
        throw new Error(`${surface.name}: there are no rows for ${JSON.stringify(variables)}`)
      const differing = difference(one, other)
      if (differing)
        throw new Error(
          `${surface.name} with ${JSON.stringify(variables)}: the graph says ${differing}`,
        )
    }
  }

  /**
   * Milliseconds of the statement and of the query, medians: some of one kind, some of the other,
   * again and again.
   */
  async function timed(surface: Surface): Promise<{ sql: number; graphql: number }> {
    const requests = surface.variants.map(({ variables }) =>
      wire(
        { path: '/graphql', body: { query: surface.query, variables } },
        { 'cache-control': 'no-cache' },
      ),
    )
    const statements: { sql: number[]; graphql: number[] } = { sql: [], graphql: [] }
    for (let nth = 0; nth <= rounds; nth++) {
      const sql: number[] = []
      for (let i = 0; i < BURST; i++) {
        const since = performance.now()
        await rowsOf(surface, i % surface.variants.length)
        sql.push(performance.now() - since)
      }
      const sent = Array.from({ length: BURST }, (_, i) => requests[i % requests.length] as Buffer)
      const graphql = await each(server.port, sent)
      // The first round warms up.
      if (nth === 0) continue
      statements.sql.push(...sql)
      statements.graphql.push(...graphql)
    }
    return { sql: median(statements.sql), graphql: median(statements.graphql) }
  }
} finally {
  for (const server of servers) await server.stop()
  await counter.close()
  await store.close()
}

function sorted(rows: unknown[][]): unknown[][] {
  return rows.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))
}

async function rowsOf({ name, sql, variants }: Surface, variant: number): Promise<unknown[][]> {
  const values = variants[variant]?.values
  return (await store.pool.query<unknown[]>({ name, text: sql, values, rowMode: 'array' })).rows
}

/**
 * How many statements a repeated query takes, apart from those that begin and end a transaction.
 */
async function statementsOf({ port }: Server, { query, variants }: Surface): Promise<number> {
  const request = { path: '/graphql', body: { query, variables: variants[0]?.variables } }
  for (let warm = 0; warm < 3; warm++) {
    counter.take()
    await answerFrom(port, request)
  }
  return counter.take().filter((one) => !isFrame(one)).length
}

/** Waits for a server to have computed the ranks of all past dates. */
async function standingsReady({ pool }: SpeedStore): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`SELECT (SELECT count(*) FROM distribution) - (SELECT count(*)
        FROM rank_history_date
      WHERE date < (SELECT max(date) FROM distribution)) AS missing`)
    if (Number(rows[0].missing) <= 1) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
