/**
 * A protocol whose indexer is a process apart: the same records as GraphQL, in pages, and in the
 * tables of a Postgres. The parent says by IPC which day it is, and what is wrong.
 */
import { buildSchema, graphql } from 'graphql'
import pg from 'pg'
import { snakeCase } from 'pothos-sql/host'
import { records } from '../../../src/domain/dataset/records.ts'
import type { LegName } from '../../../src/domain/update/legs.ts'
import { answerJson, startServer } from '../../support/positions-server.ts'
import { dateField, idOf, isIso, type Records, recordsOn, simulatedLegs } from './protocol-days.ts'

/** Fine; answers nothing; answers errors; has lost half of its newest records. */
export type Mode = 'up' | 'hanging' | 'down' | 'lossy'
export interface Order {
  day: number
  mode: Mode
}

const PAGE = 40
const [databaseUrl] = process.argv.slice(2)
const database = new pg.Client({ connectionString: databaseUrl })
const locker = new pg.Client({ connectionString: databaseUrl })

let [served, mode]: [Records, Mode] = [recordsOn(0), 'up']
/** Goes on when the server no longer hangs. */
let proceed = Promise.resolve()
let release = () => {}

const typeName = (leg: LegName) =>
  leg.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const SCALARS: Record<string, string> = { float: 'Float', int: 'Int', integer: 'Int' }
const scalarOf = (type: string) => SCALARS[type] ?? 'String'
const schema = buildSchema(`scalar BigInt scalar DateTime
  ${simulatedLegs.map(
    (leg) => `type ${typeName(leg)} { id: ID!
      ${Object.entries(records[leg].fields).map(([field, { type }]) => `${field}: ${scalarOf(type)}`)} }
    input ${typeName(leg)}_filter { ${dateField(leg)}_gte: ${isIso(leg) ? 'DateTime' : 'BigInt'} id_gt: ID }`,
  )}
  type Query { ${simulatedLegs.map((leg) => `${typeName(leg)}(first: Int, orderBy: String, where: ${typeName(leg)}_filter): [${typeName(leg)}!]!`)} }`)

const rootValue = Object.fromEntries(
  simulatedLegs.map((leg) => [
    typeName(leg),
    ({ first, where }: { first: number; where: Record<string, string> }) =>
      served[leg]
        .map(
          (record) =>
            ({ id: idOf(leg, record), ...record }) as Record<string, unknown> & { id: string },
        )
        .filter((record) => isSince(record[dateField(leg)], where[`${dateField(leg)}_gte`]))
        .filter(({ id }) => where.id_gt === undefined || id > where.id_gt)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, Math.min(first, PAGE)),
  ]),
)
const isSince = (date: unknown, since: string | undefined) =>
  String(date).includes('T') ? String(date) >= String(since) : Number(date) >= Number(since)

const server = await startServer(async ({ body }, response) => {
  await proceed
  if (mode === 'down') return response.writeHead(503).end('<html>down</html>')
  const { query, variables } = JSON.parse(body)
  answerJson(
    response,
    await graphql({ schema, rootValue, source: query, variableValues: variables }),
  )
})

const tableOf = (leg: LegName) => snakeCase(typeName(leg))
async function fill(): Promise<void> {
  await database.query('BEGIN')
  for (const leg of simulatedLegs) {
    const { fields } = records[leg]
    const columns = Object.entries(fields).map(([field, { type: ofField }]) => {
      if (isIso(leg) && field === dateField(leg)) return `"${field}" timestamptz`
      return `"${field}" ${ofField === 'float' ? 'float8' : 'text'}`
    })
    await database.query(`DROP TABLE IF EXISTS ${tableOf(leg)}`)
    if (mode === 'down') continue
    const named = Object.keys(fields).map((field) => `"${field}" AS ${snakeCase(field)}`)
    await database.query(
      `CREATE TABLE ${tableOf(leg)} AS SELECT ${named.join(', ')} FROM json_to_recordset($1) AS r(${columns.join(', ')})`,
      [JSON.stringify(served[leg])],
    )
  }
  await database.query('COMMIT')
}

async function obey({ day, mode: wanted }: Order): Promise<void> {
  await locker.query('ROLLBACK')
  ;[served, mode] = [recordsOn(day), wanted]
  const half = served['market-snapshots'].filter((_, at) => at % 2 === 0)
  if (mode === 'lossy') served = { ...served, 'market-snapshots': half }
  await fill()
  release()
  if (mode !== 'hanging') return
  proceed = new Promise((resolve) => {
    release = resolve
  })
  await locker.query(`BEGIN; LOCK TABLE ${simulatedLegs.map(tableOf).join(', ')}`)
}

await Promise.all([database.connect(), locker.connect()])
await fill()
process.on('message', (order: Order) =>
  obey(order).then(() => process.send?.({ obeyed: order.day })),
)
process.on('disconnect', () => process.exit())
process.send?.({ url: `${server.base}/graphql` })
