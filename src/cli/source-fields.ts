import { records } from '../domain/dataset/records.ts'
import type { LegName } from '../domain/update/legs.ts'
import { type AnalyticsSource, parseObject } from '../sources/index.ts'

export interface SourceFields {
  count: number
  /** Fields that each record needs, and none has. */
  missing: string[]
  /** Other fields that are absent or null in all of them. */
  empty: string[]
}

/** Examines the first records of a source. Undefined if it does not have such records. */
export async function fieldsOf(
  source: AnalyticsSource,
  leg: LegName,
  signal: AbortSignal,
): Promise<SourceFields | undefined> {
  const { fields } = records[leg]
  const known = async () => ({ users: [], entities: [] })
  const fetched = await source.records(leg, { since: null, fields, known, signal })
  if (!fetched) return undefined
  const present = new Set<string>()
  let count = 0
  for await (const batch of fetched.batches) {
    for (const record of batch.records) {
      const values = typeof record === 'string' ? parseObject(record) : { ...record }
      if (!values) continue
      count++
      for (const [field, value] of Object.entries(values))
        if (value !== null && value !== undefined) present.add(field)
    }
    if (count > 0) break
  }
  const absent = count === 0 ? [] : Object.keys(fields).filter((field) => !present.has(field))
  const isNeeded = (field: string) =>
    fields[field]?.absent === undefined && !fields[field]?.nullable
  return {
    count,
    missing: absent.filter(isNeeded),
    empty: absent.filter((field) => !isNeeded(field)),
  }
}
