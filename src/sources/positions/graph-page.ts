import { cut, foreign, parseJson, sourceFailed } from '../client.ts'
import { isObject } from '../json.ts'
import { type AnyNames, type Name, type Names, pathBelow } from './graph-names.ts'

/** A page of a source's answer, with unvalidated rows. */
export interface PositionsPage {
  /** Starting at 1. */
  number: number
  body: Buffer
  block: string | null
  totalCount: number
  /** The cursor of the next page. Undefined at the end, and when paging by offset. */
  next: string | undefined
  nodes: unknown[]
}

/** Creates a reader of a source's answers. */
export function pageReader(called: string, names: Names, paging: 'cursor' | 'offset') {
  const below = (name: Name) => pathBelow(names, name)
  const paths = {
    positions: below('positions'),
    block: below('block'),
    totalCount: below('totalCount'),
    nodes: below('nodes'),
  }

  /** @throws SOURCE_FAILED if the answer is not a page */
  return (number: number, body: Buffer): PositionsPage => {
    const wrong = (name: string, what: string, value: unknown) =>
      sourceFailed(
        called,
        `page ${number}: ${fieldName(names, name)} must be ${what}, not ${described(value)}`,
      )

    const data = answerData(called, number, body)
    const page = down(data.positions, paths.positions)
    if (!isObject(page)) throw wrong('positions', 'an object', page)

    const totalCount = down(page.totalCount, paths.totalCount)
    if (typeof totalCount !== 'number' || !Number.isSafeInteger(totalCount) || totalCount < 0)
      throw wrong('totalCount', 'an integer from 0 up', totalCount)
    const nodes = listDown(page.nodes, paths.nodes)
    if (!Array.isArray(nodes)) throw wrong('nodes', 'a list', nodes)
    const block = names.block === '' ? null : (down(page.block, paths.block) ?? null)
    if (block !== null && !/^[0-9]{1,78}$/.test(String(block)))
      throw wrong('block', 'a decimal integer or null', block)
    const read = { number, body, block: block === null ? null : String(block), totalCount, nodes }
    return { ...read, next: paging === 'offset' ? undefined : nextIn(page, names, wrong) }
  }
}

/**
 * The cursor of the page after a page. Undefined at the end.
 * @throws the error that `wrong` makes
 */
export function nextIn(
  page: Record<string, unknown>,
  names: AnyNames,
  wrong: (name: string, what: string, value: unknown) => Error,
): string | undefined {
  const pageInfo = down(page.pageInfo, pathBelow(names, 'pageInfo'))
  if (!isObject(pageInfo)) throw wrong('pageInfo', 'an object', pageInfo)
  const more = down(pageInfo.hasNextPage, pathBelow(names, 'hasNextPage'))
  if (typeof more !== 'boolean') throw wrong('hasNextPage', 'true or false', more)
  if (!more) return undefined
  const cursor = down(pageInfo.endCursor, pathBelow(names, 'endCursor'))
  if (typeof cursor !== 'string' || cursor === '')
    throw wrong('endCursor', 'a cursor, since there is a next page', cursor)
  return cursor
}

/** The data of a GraphQL answer. @throws SOURCE_FAILED if it has none */
export function answerData(called: string, number: number, body: Buffer): Record<string, unknown> {
  const answer = parseJson(called, body)
  if (!isObject(answer))
    throw sourceFailed(called, `page ${number} is no GraphQL answer: ${described(answer)}`)
  const { data, errors } = answer
  if (errors !== undefined && errors !== null) {
    const message = Array.isArray(errors) && isObject(errors[0]) ? errors[0].message : undefined
    const text = typeof message === 'string' ? message : 'an error without a message'
    throw sourceFailed(called, `it answered: ${foreign(text)}`)
  }
  if (!isObject(data))
    throw sourceFailed(called, `page ${number} is no GraphQL answer: it has no data`)
  return data
}

/** Names a field in messages: our name, and the source's if it differs. */
export const fieldName = (names: AnyNames, name: string) =>
  names[name] === name ? name : `${name} (${names[name]})`

/** The value at a path. Undefined if there is none. */
export function down(value: unknown, path: readonly string[]): unknown {
  let node = value
  for (const part of path) node = isObject(node) ? node[part] : undefined
  return node
}

/** The values at a path that may pass through lists. */
export function listDown(value: unknown, path: readonly string[]): unknown {
  const at = path.findIndex((_, index) => Array.isArray(down(value, path.slice(0, index))))
  if (at === -1) return down(value, path)
  const list = down(value, path.slice(0, at)) as unknown[]
  return list.map((item) => down(item, path.slice(at)))
}

/** Formats a value for a message: shortened, and without control characters. */
export function described(value: unknown): string {
  if (value === undefined) return 'left out'
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  return cut(JSON.stringify(value), 90)
}
