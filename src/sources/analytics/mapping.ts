import { readFileSync } from 'node:fs'
import { parse } from 'graphql'
import * as z from 'zod'
import { parseObject } from '../json.ts'
import { type AnyNames, readNames } from '../positions/graph-names.ts'

/** The fields of a record, as far as a source needs to know them. */
export type Shapes = Readonly<Record<string, Shape>>
export interface Shape {
  type: string
  sql: string
  nullable?: boolean
  /** Undefined if each record needs the field. */
  absent?: string
}

/** How the records of a GraphQL source are read. */
export interface GraphMapping {
  /** The source's names. */
  names: AnyNames
  /** Values that the source does not have, by field. */
  constants: Readonly<Record<string, unknown>>
  /** More arguments, such as `orderBy: id`. */
  arguments: string
  /** By `pageInfo`, by the key of the last record, or by limit and offset. */
  paging: 'cursor' | 'key' | 'offset'
  pageSize: number
}

export interface SqlMapping {
  /** A query whose columns are fields. `$1` is the requested date in Unix seconds. */
  query: string
  constants: Readonly<Record<string, unknown>>
}

export type Mapping = GraphMapping | SqlMapping

const constants = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .default({})
const schema = z.union([
  z.strictObject({ query: z.string().min(1), constants }),
  z.strictObject({
    names: z.record(z.string(), z.string()).default({}),
    constants,
    arguments: z.string().default(''),
    paging: z.enum(['cursor', 'key', 'offset']).default('cursor'),
    pageSize: z.int().min(1).max(100_000).default(1000),
  }),
])

/**
 * Reads a file of mappings, by the file of the import format whose records they are of.
 * @throws Error whose message continues the name of the setting
 */
export function readMappings(
  path: string,
  files: Readonly<Record<string, Shapes>>,
): Record<string, Mapping> {
  const mappings = readJson(path)
  return Object.fromEntries(
    Object.entries(mappings).map(([file, value]) => {
      const shapes = files[file]
      if (!shapes)
        throw new Error(
          `of ${path} names ${file}, which is not one of ${Object.keys(files).join(', ')}`,
        )
      try {
        return [file, readMapping(file, shapes, value)]
      } catch (error) {
        throw new Error(`of ${path} is wrong for ${file}: it ${(error as Error).message}`)
      }
    }),
  )
}

function readMapping(file: string, shapes: Shapes, value: unknown): Mapping {
  const parsed = schema.safeParse(value)
  if (!parsed.success)
    throw new Error(
      'must have a query, or names, constants, arguments, paging (cursor, key or offset) and ' +
        'pageSize',
    )
  const mapping = parsed.data
  const unknown = Object.keys(mapping.constants).find((field) => !Object.hasOwn(shapes, field))
  if (unknown)
    throw new Error(
      `has a constant "${unknown}", which is not one of ${Object.keys(shapes).join(', ')}`,
    )
  if ('query' in mapping) return mapping
  assertArguments(mapping.arguments)
  const optional = Object.keys(shapes).filter(
    (field) => shapes[field]?.absent !== undefined || field in mapping.constants,
  )
  const isList = mapping.paging !== 'cursor'
  const names = readNames(
    {
      defaults: {
        ...defaultsFor(file, isList),
        // Records without dates are requested as a whole.
        ...(!Object.values(shapes).some(({ type }) => DATES.includes(type)) && { since: '' }),
        ...Object.fromEntries(Object.keys(shapes).map((name) => [name, name])),
      },
      arguments: new Set(ARGUMENTS),
      optional: new Set(['since', ...(isList ? ['nodes'] : []), ...optional]),
    },
    mapping.names,
  )
  return { ...mapping, names }
}

const DATES = ['timestamp', 'moment', 'date']
const ARGUMENTS = ['since', 'first', 'after', 'limit', 'offset']

// The names of a source that has ours. Lists have no nodes.
const defaultsFor = (file: string, isList: boolean): AnyNames => ({
  records: file.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
  nodes: isList ? '' : 'nodes',
  ...Object.fromEntries(
    ['pageInfo', 'hasNextPage', 'endCursor', ...ARGUMENTS].map((name) => [name, name]),
  ),
  key: 'id',
})

function assertArguments(text: string): void {
  if (text === '') return
  try {
    parse(`{ records(${text}) }`)
  } catch {
    throw new Error(
      `must have arguments such as "orderBy: id, orderDirection: asc", not ${JSON.stringify(text)}`,
    )
  }
}

function readJson(path: string): object {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`names ${path}, which cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  const mappings = parseObject(text)
  if (mappings) return mappings
  throw new Error(`of ${path} must be a JSON object of mappings`)
}
