import { createHash, type Hash } from 'node:crypto'
import {
  type ArgumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
} from 'graphql'
import { pMapIterable } from 'p-map'
import { type Client, sourceFailed } from '../client.ts'
import { received } from '../fetched.ts'
import { isObject } from '../json.ts'
import { inNamesOf, pathBelow, split } from '../positions/graph-names.ts'
import {
  answerData,
  described,
  down,
  fieldName,
  listDown,
  nextIn,
} from '../positions/graph-page.ts'
import { type AnalyticsSource, analyticsName } from './analytics-source.ts'
import { importRecord } from './import-value.ts'
import type { GraphMapping, Shapes } from './mapping.ts'

const AHEAD = 4
// The pages of one update, which bounds a source that never ends.
const MAX_PAGES = 100_000

/**
 * A GraphQL source of analytics, whose names a mapping translates. Pages are validated, and none
 * may come twice.
 */
export function graphRecords(
  client: Client,
  { url, name }: { url: string; name: string },
  mapping: GraphMapping,
): AnalyticsSource {
  return {
    name,
    async records(file, { since, fields, signal }) {
      const called = analyticsName(file, name)
      const { names, constants } = mapping
      const read = pageReader(called, mapping)
      const paths = Object.keys(fields).map((field) => ({ field, path: pathBelow(names, field) }))

      async function fetchPage(number: number, variables: object): Promise<RecordsPage> {
        const isFirst = number === 1
        const json = { query: operationOf(mapping, fields, isFirst), variables }
        return read(number, await client.bytes(called, url, { json, signal }))
      }

      async function* pages(): AsyncGenerator<RecordsPage> {
        const from = names.since === '' ? {} : { since: sinceOf(names.since ?? '', since) }
        const cursors = new Set<string>()
        const bodies = new Set<string>()
        for (let number = 1, next: Next = {}; ; number++) {
          if (number > MAX_PAGES) throw sourceFailed(called, `it has more than ${MAX_PAGES} pages`)
          const size =
            mapping.paging === 'offset' ? { limit: mapping.pageSize } : { first: mapping.pageSize }
          const page = await fetchPage(number, { ...from, ...size, ...next })
          const digest = createHash('sha1').update(page.body).digest('base64')
          if (page.nodes.length > 0 && bodies.has(digest))
            throw sourceFailed(called, `page ${number} repeats a page before it`)
          bodies.add(digest)
          yield page
          if (page.cursor === undefined) return
          if (cursors.has(String(page.cursor)))
            throw sourceFailed(called, `page ${number} leads back to a page before it`)
          cursors.add(String(page.cursor))
          next =
            mapping.paging === 'offset'
              ? { offset: page.cursor as number }
              : { after: page.cursor as string }
        }
      }

      async function* recordsOf(hash: Hash) {
        for await (const { number, nodes, body } of pMapIterable(pages(), (page) => page, {
          concurrency: 1,
          backpressure: AHEAD,
        })) {
          hash.update(body)
          yield nodes.map((node, at) => {
            if (!isObject(node))
              throw sourceFailed(
                called,
                `page ${number}, record ${at + 1} must be an object, not ${described(node)}`,
              )
            return importRecord(fields, constants, (field) => valueAt(node, field))
          })
        }
      }
      const below = new Map(paths.map(({ field, path }) => [field, path]))
      const valueAt = (node: Record<string, unknown>, field: string) =>
        down(node[field], below.get(field) ?? [])

      return received(
        names.records ?? file,
        { kind: 'ANALYTICS', name, time: since?.toISOString() ?? null },
        recordsOf,
      )
    },
  }
}

type Next = { after?: string; offset?: number }

interface RecordsPage {
  number: number
  body: Buffer
  nodes: unknown[]
  /** The start of the next page. Undefined at the end. */
  cursor: string | number | undefined
}

function pageReader(called: string, { names, paging }: GraphMapping) {
  const below = (name: string) => pathBelow(names, name)
  let offset = 0
  return (number: number, body: Buffer): RecordsPage => {
    const wrong = (name: string, what: string, value: unknown) =>
      sourceFailed(
        called,
        `page ${number}: ${fieldName(names, name)} must be ${what}, not ${described(value)}`,
      )
    const root = down(answerData(called, number, body).records, below('records'))
    const hasNodes = names.nodes !== ''
    const inRoot = isObject(root) ? listDown(root.nodes, below('nodes')) : undefined
    const nodes = hasNodes ? inRoot : root
    if (!Array.isArray(nodes)) throw wrong(hasNodes ? 'nodes' : 'records', 'a list', nodes ?? root)
    const page = { number, body, nodes }
    if (paging === 'cursor')
      return { ...page, cursor: nextIn(root as Record<string, unknown>, names, wrong) }
    // A server may give fewer records than requested, so that only an empty page is the end.
    if (nodes.length === 0) return { ...page, cursor: undefined }
    if (paging === 'offset') {
      offset += nodes.length
      return { ...page, cursor: offset }
    }
    const last = nodes.at(-1)
    const key = isObject(last) ? down(last.key, below('key')) : undefined
    if ((typeof key !== 'string' || key === '') && typeof key !== 'number')
      throw wrong('key', 'a key to page by', key)
    return { ...page, cursor: String(key) }
  }
}

function operationOf(
  { names, constants, paging, arguments: fixed }: GraphMapping,
  fields: Shapes,
  isFirst: boolean,
): string {
  const selected = Object.keys(fields).filter((field) => !Object.hasOwn(constants, field))
  const selection = [...selected, ...(paging === 'key' ? ['key'] : [])].join(' ')
  const content = names.nodes === '' ? selection : `nodes { ${selection} }`
  const inputs =
    paging === 'offset' ? { limit: 'Int', offset: 'Int' } : { first: 'Int', after: 'String' }
  const variables = Object.entries({ since: 'Int', ...inputs })
  const text = `query Records(${variables.map(([name, type]) => `$${name}: ${type}`).join(', ')}) {
    records(${variables.map(([name]) => `${name}: $${name}`).join(', ')}) {
      ${paging === 'cursor' ? 'pageInfo { hasNextPage endCursor }' : ''} ${content} } }`
  const translated = inNamesOf({ ...names, ...(isFirst && { after: '', offset: '' }) }, parse(text))
  return fixed === '' ? translated : withArguments(translated, fixed)
}

// Adds arguments to the field of an operation. Fields of the same object are joined.
function withArguments(text: string, fixed: string): string {
  const document = parse(text)
  const root = fieldOf(document.definitions[0] as OperationDefinitionNode)
  const more =
    fieldOf(parse(`{ records(${fixed}) }`).definitions[0] as OperationDefinitionNode).arguments ??
    []
  const deepest = innermost(root)
  const all = [...(deepest.arguments ?? [])]
  for (const argument of more) {
    const at = all.findIndex(({ name }) => name.value === argument.name.value)
    const same = all[at]
    if (same) all[at] = joinedArgument(same, argument)
    else all.push(argument)
  }
  Object.assign(deepest, { arguments: all })
  return print(document)
}

const fieldOf = ({ selectionSet }: OperationDefinitionNode) =>
  selectionSet.selections[0] as FieldNode

function innermost(field: FieldNode): FieldNode {
  const [first, second] = field.selectionSet?.selections ?? []
  if ((field.arguments ?? []).length > 0 || second || first?.kind !== Kind.FIELD) return field
  return innermost(first)
}

function joinedArgument(one: ArgumentNode, other: ArgumentNode): ArgumentNode {
  if (one.value.kind !== Kind.OBJECT || other.value.kind !== Kind.OBJECT) return other
  return { ...one, value: { ...one.value, fields: [...one.value.fields, ...other.value.fields] } }
}

function sinceOf(theirs: string, since: Date | null): string | number {
  const { type = 'Int' } = split(theirs)
  const seconds = Math.floor((since?.getTime() ?? 0) / 1000)
  if (/time|date/i.test(type)) return new Date(seconds * 1000).toISOString()
  return /^(Int|Float)\b/.test(type) ? seconds : String(seconds)
}
