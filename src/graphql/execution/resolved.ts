import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { Answer } from 'pothos-sql'
import type { Turns } from 'pothos-sql/host'
import { answerTooLarge } from '../../db/faults.ts'
import { exactJson, isExactNumber } from '../../exact-number.ts'
import { midnight } from '../../time.ts'

const VALUE_BYTES = 6

/**
 * Serializes the data of resolvers.
 * @throws ANSWER_TOO_LARGE, before serializing, if the JSON would be too large
 */
export async function answerJson(
  data: unknown,
  turns: Turns,
  maxBytes: number | undefined,
): Promise<string> {
  assertAnswerSize(data, maxBytes)
  return jsonInTurns(data, turns)
}

// Serializes values as `exactJson` does, the rows of lists one after the other.
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

function hasList(value: unknown): value is object {
  if (Array.isArray(value)) return true
  return isObject(value) && Object.values(value).some(hasList)
}

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

type Write = (text: string) => unknown

// How REST writes values that the graph writes otherwise, by their type or field.
const VALUES_OF_REST: Record<string, Write> = { Date: midnight, 'TokenAmount.value': Number }

/**
 * The data of resolvers as a plan writes it: with an empty list, whose rows are separate and flat.
 */
export function withRows(schema: GraphQLSchema, document: DocumentNode, data: unknown): Answer {
  const writes = writesOf(schema, document)
  const flat = (row: object): object =>
    mapEntries(row, (key, value) => {
      if (Array.isArray(value)) return [[key, value.map(flat)]]
      if (isObject(value)) return Object.entries(flat(value))
      const write = value === null ? undefined : writes.get(key)
      return [[key, write ? write(value as string) : value]]
    })
  let list: object[] = []
  const withoutRows = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      list = value.map(flat)
      return []
    }
    return isObject(value) ? mapEntries(value, (key, one) => [[key, withoutRows(one)]]) : value
  }
  const json = exactJson(withoutRows(data))
  const rows = list.map(exactJson)
  return { json, rows: { json: rows.join(','), length: rows.length, last: rows.at(-1) } }
}

function writesOf(schema: GraphQLSchema, document: DocumentNode): Map<string, Write> {
  const types = new TypeInfo(schema)
  const writes = new Map<string, Write>()
  const Field = ({ alias, name }: FieldNode) => {
    const type = getNamedType(types.getType())?.name ?? ''
    const write =
      VALUES_OF_REST[`${types.getParentType()?.name}.${name.value}`] ?? VALUES_OF_REST[type]
    if (write) writes.set((alias ?? name).value, write)
  }
  visit(document, visitWithTypeInfo(types, { Field }))
  return writes
}

type ObjectEntry = [key: string, value: unknown]

const mapEntries = (object: object, map: (...entry: ObjectEntry) => ObjectEntry[]): object =>
  Object.fromEntries(Object.entries(object).flatMap((entry) => map(...entry)))

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
