import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { Cell } from './cells.ts'
import { textOf } from './formats.ts'

type Type = Pick<SchemaElement, 'type' | 'converted_type'>

const TEXT: Type = { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
const INT64: Type = { type: 'INT64' }
// Token amounts, which may have 256 bits, are text, as in the graph.
const types: Record<string, Type> = {
  Boolean: { type: 'BOOLEAN' },
  Int: INT64,
  SafeInt: INT64,
  Float: { type: 'DOUBLE' },
  Date: { type: 'INT32', converted_type: 'DATE' },
  DateTime: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
}

const typeOf = (name: string | undefined) => (name === undefined ? undefined : types[name])

/** A column of a file: its name, and the type of its values in the graph. */
export interface Column {
  name: string
  /** Undefined for a list. */
  type: string | undefined
}

const GROUP = 20_000
// The values of a group, all columns together. They stay in memory until it is written.
const GROUP_VALUES = 200_000

/** Writes rows as Parquet, one row group after the other. @returns the number of rows */
export async function writeParquet(
  path: string,
  columns: Column[],
  chunks: AsyncIterable<Cell[][]>,
): Promise<number> {
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: [
      { name: 'row', num_children: columns.length },
      ...columns.map(
        ({ name, type }): SchemaElement => ({
          name,
          repetition_type: 'OPTIONAL',
          ...(typeOf(type) ?? TEXT),
        }),
      ),
    ],
  })
  let group: Cell[][] = []
  let count = 0
  const flush = async () => {
    if (group.length === 0) return
    const columnData = columns.map(({ name, type }, at) => ({
      name,
      data: group.map((row) => storedValue(row[at] as Cell, typeOf(type))),
    }))
    await writer.write({ columnData, rowGroupSize: GROUP })
    count += group.length
    group = []
  }
  for await (const rows of chunks) {
    for (const row of rows) group.push(row)
    if (group.length >= GROUP || group.length * columns.length >= GROUP_VALUES) await flush()
  }
  await flush()
  await writer.finish()
  return count
}

const DAY_MS = 86_400_000

function storedValue(json: Cell, type: Type | undefined): unknown {
  if (json === 'null') return null
  const text = textOf(json)
  if (type === undefined) return text
  if (type === INT64) return BigInt(text)
  if (type.converted_type === 'DATE') return Date.parse(text) / DAY_MS
  if (type.converted_type === 'TIMESTAMP_MILLIS') return new Date(text)
  return type.type === 'BOOLEAN' ? text === 'true' : Number(text)
}
