import { type DocumentNode, getOperationAST, type SelectionSetNode } from 'graphql'
import { answerTooLarge } from '../../db/connect/reader.ts'
import { exactJson, isExactNumber } from '../../exact-number.ts'
import { Rows } from '../plan/plan.ts'
import { fieldsOf, fragmentsOf } from '../selection.ts'
import type { Turns } from '../turns.ts'

/** The estimated bytes of a number or literal, or of the punctuation around a value. */
const VALUE_BYTES = 6

/** Serializes the data of resolvers. @throws ANSWER_TOO_LARGE, before serializing, if the JSON would be too large */
export async function answerJson(data: unknown, turns: Turns, maxBytes: number | undefined): Promise<string> {
  assertAnswerSize(data, maxBytes)
  return jsonInTurns(data, turns)
}

/** Serializes values as `exactJson` does, the rows of lists one after the other. */
async function jsonInTurns(value: unknown, turns: Turns): Promise<string> {
  if (!hasList(value)) return exactJson(value)
  const parts: string[] = []
  for (const [key, one] of Object.entries(value)) {
    const json = hasList(one) ? await jsonInTurns(one, turns) : exactJson(one)
    parts.push(Array.isArray(value) ? json : `${JSON.stringify(key)}:${json}`)
    await turns.next()
  }
  return Array.isArray(value) ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}

/** True for a list, and for an object that contains one. */
function hasList(value: unknown): value is object {
  if (Array.isArray(value)) return true
  return isObject(value) && Object.values(value).some(hasList)
}

/** Estimates the size of the data's JSON. @throws ANSWER_TOO_LARGE if it exceeds `maxBytes` */
function assertAnswerSize(data: unknown, maxBytes = Number.POSITIVE_INFINITY): void {
  let bytes = 0
  const add = (value: unknown): void => {
    bytes += typeof value === 'string' ? value.length + VALUE_BYTES : VALUE_BYTES
    if (bytes > maxBytes) throw answerTooLarge(maxBytes)
    if (Array.isArray(value)) for (const one of value) add(one)
    else if (typeof value === 'object' && value !== null)
      for (const key in value) {
        bytes += key.length
        add((value as Record<string, unknown>)[key])
      }
  }
  add(data)
}

/** Shapes the data of resolvers as a plan does: merges `@flat` objects, writes `@midnight` dates as moments and `@number` decimals as numbers, and separates the rows of the only list. */
export function resolvedParts(document: DocumentNode, data: unknown): { data: string; rows: Rows } {
  let rows = new Rows('', 0, undefined)
  const withoutRows = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const last = value.length > 0 ? exactJson(value.at(-1)) : undefined
      rows = new Rows(exactJson(value).slice(1, -1), value.length, last)
      return []
    }
    return isObject(value) ? mapEntries(value, (key, one) => [[key, withoutRows(one)]]) : value
  }
  const rest = withoutRows(merged(document, data))
  return { data: exactJson(rest), rows }
}

/** Merges objects that are selected with `@flat` into their parents, and writes values as `@midnight` and `@number` say. */
function merged(document: DocumentNode, data: unknown): unknown {
  const fragments = fragmentsOf(document)
  const merge = (value: unknown, sets: SelectionSetNode[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => merge(one, sets))
    if (sets.length === 0 || !isObject(value)) return value
    const fields = fieldsOf(sets, fragments)
    return mapEntries(value, (key, one) => {
      const nodes = fields.get(key) ?? []
      const nested = merge(
        one,
        nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
      )
      const has = (directive: string) =>
        nodes.some(({ directives }) => directives?.some(({ name }) => name.value === directive))
      if (has('midnight') && typeof nested === 'string') return [[key, `${nested}T00:00:00.000Z`]]
      if (has('number') && typeof nested === 'string') return [[key, Number(nested)]]
      return has('flat') && isObject(nested) ? Object.entries(nested) : [[key, nested]]
    })
  }
  const { selectionSet } = getOperationAST(document) ?? {}
  return merge(data, selectionSet ? [selectionSet] : [])
}

type Entry = [key: string, value: unknown]

const mapEntries = (object: object, map: (...entry: Entry) => Entry[]): object =>
  Object.fromEntries(Object.entries(object).flatMap((entry) => map(...entry)))

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
