import { entityKey, type KnownEntities } from './entities.ts'
import { described, nearestName, type Problem, shownName } from './problem.ts'
import type { Doubt, RecordFormat, ReferencedKind } from './records.ts'
import { NULL } from './values.ts'

/** A valid record: its fields as COPY text, in the order of the format, and its natural key. */
export interface Row {
  texts: string[]
  key: string
  doubt: Doubt | undefined
  /** The changes that made it fit. */
  changes: Problem[]
}

/**
 * Creates a reader of one file's records, which are lines of JSON or parsed already. It validates a
 * record by the format and the known `entities`, to which it adds, and returns the row, all
 * problems of the record, or undefined for a blank line.
 */
export function rowReader(
  format: RecordFormat,
  entities: KnownEntities,
): (record: string | Record<string, unknown>) => Row | Problem[] | undefined {
  const fields = Object.entries(format.fields)
  const names = Object.keys(format.fields)
  const indexOf = (field: string) => names.indexOf(field)
  const key = format.key.map(indexOf)
  const chain = indexOf('chainId')
  const { defines, check, doubt, mend, ignored = [] } = format
  const ownId = indexOf('id')
  const assets = (format.assets ?? []).map(indexOf)
  const references = Object.entries(format.references ?? {}).map(([field, to]) => ({
    field,
    at: indexOf(field),
    kindOf:
      typeof to === 'string'
        ? () => to
        : (texts: string[]) => texts[indexOf(to.kindIn)] as ReferencedKind,
  }))

  /** The texts of a record. Problems are collected, with an empty text for the field. */
  function encode(record: Record<string, unknown>, problems: Problem[]): string[] {
    const texts: string[] = []
    let fieldCount = 0
    for (const [field, type] of fields) {
      const value = record[field]
      let text: string | undefined
      if (value === undefined) {
        text = type.absent
        if (text === undefined) problems.push({ field, reason: 'is missing' })
      } else {
        fieldCount++
        text = value === null && type.nullable ? NULL : type.encode(value)
        if (text === undefined)
          problems.push({
            field,
            reason: `must be ${type.why?.(value) ?? type.what}, not ${described(value)}`,
          })
      }
      texts.push(text ?? '')
    }
    const present = Object.keys(record)
    if (fieldCount < present.length)
      for (const field of present.filter(
        (field) => !Object.hasOwn(format.fields, field) && !ignored.includes(field),
      ))
        problems.push({
          field: shownName(field),
          reason: `is unknown, ${nearestName(field, names)}`,
        })
    return texts
  }

  function keyOf(kind: ReferencedKind, texts: string[], at: number) {
    return entityKey(kind === 'pool' ? undefined : texts[chain], texts[at] ?? '')
  }

  /** True if the lines are comma-separated values, which one problem says for all of them. */
  let isCsv = false

  return (line) => {
    const record = typeof line === 'string' ? parse(line) : { fields: line }
    if (record === undefined) return undefined
    if (record.reason !== undefined) {
      if (isCsv) return undefined
      isCsv = typeof line === 'string' && isHeader(line, names)
      return [
        {
          reason: isCsv
            ? 'looks like CSV, but the format is JSON Lines: one JSON object a line'
            : record.reason,
        },
      ]
    }
    const problems: Problem[] = []
    const { record: given, changes } = mend?.(record.fields) ?? {
      record: record.fields,
      changes: NONE,
    }
    const texts = encode(given, problems)
    // Also for an invalid record, so that records that reference it are not reported.
    if (defines) entities[defines].add(keyOf(defines, texts, ownId))
    for (const at of assets) entities.asset.add(keyOf('asset', texts, at))
    for (const { field, at, kindOf } of references) {
      const kind = kindOf(texts)
      const named = texts[at]
      if (
        named &&
        kind &&
        (kind === 'pool' || texts[chain]) &&
        !entities[kind].has(keyOf(kind, texts, at))
      ) {
        const where = kind === 'pool' ? '' : ` on chain ${texts[chain]}`
        problems.push({
          field,
          reason: `names ${named}, which is ${kind === 'asset' ? 'the asset of no pool, market or vault' : `no ${kind}`}${where}, neither in the import nor in the store`,
        })
      }
    }
    const broken = problems.length === 0 ? check?.(given) : undefined
    if (broken) problems.push(broken)
    if (problems.length > 0) return problems
    return { texts, key: key.map((at) => texts[at]).join('\t'), doubt: doubt?.(given), changes }
  }
}

const NONE: Problem[] = []

type Parsed = { fields: Record<string, unknown>; reason?: never } | { reason: string }

function parse(line: string): Parsed | undefined {
  // An error with a stack for each of many blank lines would take long.
  if (!line.startsWith('{') && line.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    // The message quotes the line, which may contain the URL of its source.
    const reason = (error as SyntaxError).message.replace(/, (\.\.\.)?".*is not valid JSON$/s, '')
    return { reason: `is not JSON: ${reason.slice(0, 120)}` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { reason: `must be a JSON object, not ${described(value)}` }
  return { fields: value as Record<string, unknown> }
}

/** True if a line is the header of comma-separated values. */
function isHeader(line: string, names: string[]): boolean {
  const cells = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  return cells.filter((cell) => names.includes(cell)).length >= Math.min(2, names.length)
}
