import type { Doubt } from './checks.ts'
import { entityKey, type KnownEntities } from './entities.ts'
import { described, nearestName, type Problem, shownName } from './problem.ts'
import type { RecordFormat, ReferencedKind } from './records.ts'
import { NULL } from './values.ts'

/** A valid record: its fields as COPY text, in the order of the format, and its natural key. */
export interface ReadRecord {
  texts: string[]
  key: string
  doubt: Doubt | undefined
  changes: Problem[]
}

type Fields = Record<string, unknown>

/**
 * Creates a reader of one file's records, which are lines of JSON or parsed already. It validates a
 * record by the format and the known `entities`, to which it adds, and returns the record, all its
 * problems, or undefined for a blank line.
 */
export function recordReader(
  format: RecordFormat,
  entities: KnownEntities,
): (record: string | Fields) => ReadRecord | Problem[] | undefined {
  const { check, doubt, mend } = format
  const names = Object.keys(format.fields)
  const key = format.key.map((field) => names.indexOf(field))
  const encode = encoderOf(format)
  const resolve = referencesOf(format, entities)
  // True if the lines are comma-separated values, which one problem says for all of them.
  let isCsv = false

  return (line) => {
    const parsed = typeof line === 'string' ? parseLine(line) : { fields: line }
    if (parsed === undefined) return undefined
    if (parsed.reason !== undefined) {
      if (isCsv) return undefined
      isCsv = typeof line === 'string' && isHeader(line, names)
      return [{ reason: isCsv ? CSV : parsed.reason }]
    }
    const { record, changes } = mend?.(parsed.fields) ?? { record: parsed.fields, changes: NONE }
    const problems: Problem[] = []
    const texts = encode(record, problems)
    resolve(texts, problems)
    const broken = problems.length === 0 ? check?.(record) : undefined
    if (broken) problems.push(broken)
    if (problems.length > 0) return problems
    return { texts, key: key.map((at) => texts[at]).join('\t'), doubt: doubt?.(record), changes }
  }
}

const CSV = 'looks like CSV, but the format is JSON Lines: one JSON object a line'

// Returns what turns a record into texts. A field with a problem has an empty one.
function encoderOf(format: RecordFormat) {
  const { ignored = [] } = format
  const fields = Object.entries(format.fields)
  const names = Object.keys(format.fields)

  return (record: Fields, problems: Problem[]): string[] => {
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
    if (fieldCount === present.length) return texts
    for (const field of present)
      if (!Object.hasOwn(format.fields, field) && !ignored.includes(field))
        problems.push({
          field: shownName(field),
          reason: `is unknown, ${nearestName(field, names)}`,
        })
    return texts
  }
}

// Returns what adds the entities of a record to the known ones, and checks its references.
function referencesOf(format: RecordFormat, entities: KnownEntities) {
  const names = Object.keys(format.fields)
  const [id, chain] = [names.indexOf('id'), names.indexOf('chainId')]
  const { defines } = format
  const assets = (format.assets ?? []).map((field) => names.indexOf(field))
  const references = Object.entries(format.references ?? {}).map(([field, to]) => {
    const at = names.indexOf(field)
    if (typeof to === 'string') return { field, at, kindOf: () => to }
    const kindAt = names.indexOf(to.kindIn)
    return { field, at, kindOf: (texts: string[]) => texts[kindAt] as ReferencedKind }
  })
  const keyOf = (kind: ReferencedKind, texts: string[], at: number) =>
    entityKey(kind === 'pool' ? undefined : texts[chain], texts[at] ?? '')

  return (texts: string[], problems: Problem[]): void => {
    // Also for an invalid record, so that records that reference it are not reported.
    if (defines) entities[defines].add(keyOf(defines, texts, id))
    for (const at of assets) entities.asset.add(keyOf('asset', texts, at))
    for (const { field, at, kindOf } of references) {
      const kind = kindOf(texts)
      const isComplete = texts[at] && kind && (kind === 'pool' || texts[chain])
      if (!isComplete || entities[kind].has(keyOf(kind, texts, at))) continue
      const what = kind === 'asset' ? 'the asset of no pool, market or vault' : `no ${kind}`
      const where = kind === 'pool' ? '' : ` on chain ${texts[chain]}`
      problems.push({
        field,
        reason:
          `names ${texts[at]}, which is ${what}${where}, ` +
          'neither in the import nor in the store',
      })
    }
  }
}

const NONE: Problem[] = []

function parseLine(
  line: string,
): { fields: Fields; reason?: never } | { reason: string } | undefined {
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
  return { fields: value as Fields }
}

function isHeader(line: string, names: string[]): boolean {
  const cells = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  return cells.filter((cell) => names.includes(cell)).length >= Math.min(2, names.length)
}
