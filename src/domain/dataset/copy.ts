import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { destroyConnection } from '../../db/connect/cancel.ts'
import { FORMULA } from '../../formula.ts'
import type { DatasetFile } from '../../sources/index.ts'
import { asJson, type DateRange, selectSql, type ValueWriters } from './select.ts'
import { forSpreadsheet } from './spreadsheet.ts'

interface WriteTarget {
  file: DatasetFile
  path: string
  range: DateRange
  withPrices: boolean
  onRows(rows: number): void
}

/**
 * Writes the rows of a file to a path.
 * @returns their number, which is final when the client has answered a later statement
 */
export type WriteFile = (client: PoolClient, target: WriteTarget) => Promise<() => number>

// JSON has none of these characters, so COPY neither quotes nor escapes it.
const UNQUOTED = `FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02'`

export const writeJson: WriteFile = (client, target) => {
  const select = selectSql(target.file, asJson, target.range, target.withPrices)
  return stream(
    client,
    `COPY (SELECT row_to_json(record) FROM (${select}) record) TO STDOUT (${UNQUOTED})`,
    target,
  )
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

const asCsv: ValueWriters = {
  ...asJson,
  text: (column) => `regexp_replace(${column}::text, ${quoted(FORMULA)}, ${quoted("'\\1")})`,
  date: (column) => `to_char(${column}, 'YYYY-MM-DD')`,
  boolean: (column) => `${column}::text`,
}

// CSV with a header, whose line is not a row.
const csv = (client: PoolClient, select: string, { onRows, ...target }: WriteTarget, mark = '') =>
  stream(
    client,
    `COPY (${select}) TO STDOUT (FORMAT csv, HEADER)`,
    { ...target, onRows: (lines) => onRows(lines - 1) },
    mark,
  )

export const writeCsv: WriteFile = (client, target) =>
  csv(client, selectSql(target.file, asCsv, target.range), target)

/** CSV for a spreadsheet, which takes it for UTF-8 by its byte-order mark. */
export const writeSpreadsheet: WriteFile = (client, target) =>
  csv(client, selectSql(target.file, forSpreadsheet(target.file, asCsv), target.range), target, BOM)

const BOM = '\uFEFF'

async function stream(client: PoolClient, sql: string, { path, onRows }: WriteTarget, mark = '') {
  const copy = client.query(copyTo(sql))
  const file = createWriteStream(path)
  let lines = 0
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
      onRows(lines)
      done(null, chunk)
    },
  })
  if (mark) file.write(mark)
  try {
    await pipeline(copy, count, file)
  } catch (error) {
    // The rest of the answer, which nobody reads, would hold up every later statement.
    destroyConnection(client)
    throw error
  }
  return () => copy.rowCount
}
