import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { WriteFile } from './copy.ts'
import { records } from './records.ts'
import { selectSql, type ValueWriters } from './select.ts'
import type { FileType } from './values.ts'

const GROUP = 20_000

type Type = Pick<SchemaElement, 'type' | 'converted_type' | 'scale' | 'precision'>
const text: Type = { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
const points: Type = { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 6 }
const int64: Type = { type: 'INT64' }
const moment: Type = { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }

// A token amount, which may have 256 bits, is its digits.
const types: Record<FileType, Type> = {
  address: text,
  text,
  boolean: { type: 'BOOLEAN' },
  float: { type: 'DOUBLE' },
  int: int64,
  integer: int64,
  bigint: int64,
  timestamp: moment,
  unix: moment,
  amount: text,
  decimal: points,
  total: points,
  moment,
  date: { type: 'INT32', converted_type: 'DATE' },
  json: text,
}

// The last second that a date can have in most languages, in the year 275760.
const LAST_SECOND = 8_640_000_000_000
const momentOf = (seconds: string) =>
  `CASE WHEN ${seconds} <= ${LAST_SECOND} THEN to_timestamp(${seconds}) END`

const asParquet: ValueWriters = {
  text: (column) => `${column}::text`,
  amount: (column) => `${column}::text`,
  timestamp: momentOf,
  unix: momentOf,
  date: (column) => `${column} - date '1970-01-01'`,
  json: (column) => `${column}::text`,
}

const toInt64 = (value: string | number | null) => (value === null ? null : BigInt(value))

/** Writes a file as Parquet, one row group after the other. */
export const writeParquet: WriteFile = async (client, { file, path, range, onRows }) => {
  const fields = Object.entries(records[file].fields)
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: [
      { name: 'record', num_children: fields.length },
      ...fields.map(
        ([name, { type }]): SchemaElement => ({
          name,
          repetition_type: 'OPTIONAL',
          ...types[type],
        }),
      ),
    ],
  })
  let count = 0
  await client.query(`DECLARE exported NO SCROLL CURSOR FOR ${selectSql(file, asParquet, range)}`)
  for (;;) {
    const { rows } = await client.query<unknown[]>({
      text: `FETCH ${GROUP} FROM exported`,
      rowMode: 'array',
    })
    if (rows.length === 0) break
    const columnData = fields.map(([name, { type }], at) => {
      const isInt64 = types[type] === int64 || types[type] === points
      return {
        name,
        data: rows.map((row) => (isInt64 ? toInt64(row[at] as string | number | null) : row[at])),
      }
    })
    await writer.write({ columnData, rowGroupSize: GROUP })
    count += rows.length
    onRows(count)
  }
  await client.query('CLOSE exported')
  await writer.finish()
  return () => count
}
