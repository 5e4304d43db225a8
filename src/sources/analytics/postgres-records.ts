import type { Hash } from 'node:crypto'
import pg from 'pg'
import { FORMS } from '../../db/connect/session.ts'
import { withCheckedCertificate } from '../../db/connect/url.ts'
import { SourceSocket } from '../address.ts'
import { faultOf, isReadFault, sourceFailed } from '../client.ts'
import { received } from '../fetched.ts'
import { type AnalyticsSource, analyticsName } from './analytics-source.ts'
import { importRecord } from './import-value.ts'
import type { Shapes, SqlMapping } from './mapping.ts'

const ROWS = 1000

export const isPostgres = (source: string) => /^postgres(ql)?:\/\//i.test(source)

/**
 * A Postgres as a source of analytics: a query is read by a cursor, in a transaction that may only
 * read.
 */
export function postgresRecords(
  { url, name, timeoutMs }: { url: string; name: string; timeoutMs: number },
  { query, constants }: SqlMapping,
): AnalyticsSource {
  return {
    name,
    async records(file, { since, fields, signal }) {
      const called = analyticsName(file, name)

      async function* read(hash: Hash) {
        const client = new pg.Client({
          connectionString: withCheckedCertificate(url),
          application_name: 'gateway-update',
          connectionTimeoutMillis: timeoutMs,
          query_timeout: timeoutMs,
          types: { getTypeParser },
          stream: () => new SourceSocket(),
        })
        client.on('error', () => {})
        // A server that stalls would not answer a polite end.
        const hangUp = () => client.connection.stream.destroy()
        signal?.addEventListener('abort', hangUp, { once: true })
        try {
          signal?.throwIfAborted()
          await client.connect()
          await client.query(`BEGIN READ ONLY; ${FORMS}`)
          const seconds = String(Math.floor((since?.getTime() ?? 0) / 1000))
          await client.query(
            `DECLARE records NO SCROLL CURSOR FOR ${query}`,
            query.includes('$1') ? [seconds] : [],
          )
          for (;;) {
            signal?.throwIfAborted()
            const { rows, fields: columns } = await client.query(`FETCH ${ROWS} FROM records`)
            if (rows.length === 0) break
            const columnOf = columnsOf(
              fields,
              columns.map((column) => column.name),
            )
            const records = rows.map((row) =>
              importRecord(fields, constants, (field) => row[columnOf[field] ?? '']),
            )
            for (const record of records) hash.update(`${JSON.stringify(record)}\n`)
            yield records
          }
        } catch (error) {
          if (signal?.aborted) throw signal.reason
          if (error instanceof Error && /timeout/i.test(error.message))
            throw sourceFailed(called, `it did not answer within ${timeoutMs / 1000} s`)
          throw isReadFault(error) ? sourceFailed(called, faultOf(error)) : error
        } finally {
          signal?.removeEventListener('abort', hangUp)
          hangUp()
        }
      }

      return received('row', { kind: 'ANALYTICS', name, time: since?.toISOString() ?? null }, read)
    },
  }
}

// A date stays text: as a Date it would be midnight where the gateway runs.
const getTypeParser = (oid: number) =>
  oid === pg.types.builtins.DATE ? (text: string) => text : pg.types.getTypeParser(oid, 'text')

// The column of each field: `account_id` and `accountid` are `accountId`.
function columnsOf(fields: Shapes, columns: string[]): Record<string, string> {
  const plain = (text: string) => text.toLowerCase().replaceAll('_', '')
  const byName = new Map(columns.map((column) => [plain(column), column]))
  return Object.fromEntries(
    Object.keys(fields).flatMap((field) => {
      const column = byName.get(plain(field))
      return column === undefined ? [] : [[field, column]]
    }),
  )
}
