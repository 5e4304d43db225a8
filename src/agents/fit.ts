import { GatewayError } from '../errors.ts'
import { exactJson, isExactNumber, parseExact } from '../exact-number.ts'
import type { Tool } from './tools.ts'

/** The most characters of an answer. */
export const MAX_CHARACTERS = 25_000

// The sentence and the arguments of the next page need a place too.
const ROOM = 1500

type Values = Record<string, unknown>

/** Reads the data of a tool's operation, as JSON. */
export type Read = (variables: Values) => Promise<string>

/** The variables of a tool's operation in the arguments of a call. @throws BAD_INPUT */
export function variablesOf({ list }: Tool, sent: Values): Values {
  const { offset, ...variables } = sent
  if (list?.by !== 'rows') return sent
  if (offset !== undefined && !/^\d{1,9}$/.test(String(offset)))
    throw new GatewayError('BAD_INPUT', 'offset must be a whole number, as next.arguments has it.')
  return variables
}

/**
 * Reads what a tool answers: its data without keys of caches, and `next`, with which a list goes
 * on. A longer answer is cut at whole rows.
 * @returns JSON of at most MAX_CHARACTERS characters, or undefined if no whole row fits
 */
export async function fittingAnswer(
  { list, hidden = [], arrange = (data) => data }: Tool,
  variables: Values,
  read: Read,
): Promise<string | undefined> {
  const visible = Object.fromEntries(
    Object.entries(variables).filter(([name]) => !hidden.includes(name)),
  )
  const data = arrange(dataOf(await read(variables)))
  if (list?.by === 'rows') return cutRows(data, list.at, visible)
  const whole = answered(data, list && endOf(data, list.at, visible))
  if (whole.length <= MAX_CHARACTERS) return whole
  if (list?.by === 'after') {
    const rows = (at(data, list.at) as { nodes: unknown[] }).nodes
    const first = fitting(rows, MAX_CHARACTERS - ROOM - (whole.length - lengthOf(rows)))
    if (first === 0) return undefined
    // A cursor is of the last row of a page, so the page is read again with fewer rows.
    const page = dataOf(await read({ ...variables, first }))
    const answer = answered(page, endOf(page, list.at, { ...visible, first }))
    return answer.length <= MAX_CHARACTERS ? answer : undefined
  }
  if (list?.by === 'from') return cutSeries(data, visible)
  const path = list ? list.at : longestList(data)
  const rows = path === undefined ? undefined : at(data, path)
  if (path === undefined || !Array.isArray(rows)) return undefined
  const count = fitting(rows, MAX_CHARACTERS - ROOM - (whole.length - lengthOf(rows)))
  if (count === 0) return undefined
  const cut = withList(data, path, rows.slice(0, count))
  const answer = answered(cut, {
    note: `${count} of ${rows.length} rows of ${path} are here.${list ? GO_ON : ASK_LESS}`,
    ...(list && { arguments: restOf(list.by, visible, count) }),
  })
  return answer.length <= MAX_CHARACTERS ? answer : undefined
}

const GO_ON = ' Call the tool again with these arguments for the next ones.'
const ASK_LESS = ' Narrow the arguments to see the others.'

interface Next {
  note: string
  arguments?: Values
}

const answered = (data: Values, next?: Next): string =>
  exactJson({
    ...(without('pageInfo', data) as Values),
    ...(isEmpty(data) && NOT_FOUND),
    ...(next && { next }),
  })

const isEmpty = (data: Values) => Object.values(data).every((value) => value === null)
const NOT_FOUND = {
  note: 'Nothing is stored for these arguments. The tool search finds addresses.',
}

const lengthOf = (value: unknown) => exactJson(value).length

// How many rows, from the first one, have so many characters.
function fitting(rows: readonly unknown[], characters: number): number {
  let left = characters
  const end = rows.findIndex((row) => {
    left -= lengthOf(row) + 1
    return left < 0
  })
  return end < 0 ? rows.length : end
}

// The next page of a list that says that it has one.
function endOf(data: Values, path: string, variables: Values): Next | undefined {
  const list = at(data, path) as { pageInfo?: PageEnd; nodes?: unknown[] } | null | undefined
  const { hasNextPage, endCursor } = list?.pageInfo ?? {}
  if (!hasNextPage) return undefined
  const note = `This is a page of a longer list.${GO_ON}`
  return { note, arguments: { ...variables, after: endCursor } }
}

interface PageEnd {
  hasNextPage?: boolean
  endCursor?: string | null
}

function restOf(by: string, variables: Values, count: number): Values {
  if (by === 'addresses')
    return { ...variables, addresses: (variables.addresses as unknown[]).slice(count) }
  return { ...variables, offset: String(Number(variables.offset ?? 0) + count) }
}

// Counts the rows of all lists below a path as those of one list, in the order of the answer. Lists
// that have no row on a page are left out of it.
function cutRows(data: Values, path: string, { offset, ...variables }: Values): string | undefined {
  const lists = listsIn(at(data, path), path)
  const rows = lists.flatMap((list) => list.rows.map((row) => ({ path: list.path, row })))
  const start = Number(offset ?? 0)
  const whole = answered(data)
  if (start === 0 && whole.length <= MAX_CHARACTERS) return whole
  const rest = rows.slice(start)
  const around = lists.reduce((cut, list) => withList(cut, list.path, []), data)
  const count = fitting(
    rest.map(({ row }) => row),
    MAX_CHARACTERS - ROOM - lengthOf(around) - lengthOf(variables),
  )
  if (count === 0 && rest.length > 0) return undefined
  const end = start + count
  const page = lists.reduce((cut, list) => {
    const here = rest.slice(0, count).filter((one) => one.path === list.path)
    const isElsewhere = here.length === 0 && list.rows.length > 0
    return withList(cut, list.path, isElsewhere ? undefined : here.map(({ row }) => row))
  }, data)
  const names = lists.map((list) => list.path.split('.').at(-1)).join(', ')
  const next = {
    note: `These are rows ${start + 1} to ${end} of ${rows.length} in ${names}.${GO_ON}`,
    arguments: { ...variables, offset: String(end) },
  }
  return answered(page, end < rows.length ? next : undefined)
}

// Cuts all series at the same time.
function cutSeries(data: Values, variables: Values): string | undefined {
  const starts = [...new Set(startsIn(data))].sort()
  for (let count = starts.length; count > 0; ) {
    const from = starts[count] as string
    const answer = answered(upTo(data, from) as Values, {
      note: `These are ${count} of ${starts.length} times.${GO_ON}`,
      arguments: { ...variables, from },
    })
    if (count < starts.length && answer.length <= MAX_CHARACTERS) return answer
    const share = Math.floor((count * (MAX_CHARACTERS - ROOM)) / answer.length)
    count = Math.min(count - 1, share)
  }
  return undefined
}

function startsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('start' in value) return [String(value.start)]
  return Object.values(value).flatMap(startsIn)
}

// The same without what starts at a time or later.
function upTo(value: unknown, time: string): unknown {
  if (Array.isArray(value))
    return value.filter((one) => !(one?.start >= time)).map((one) => upTo(one, time))
  if (typeof value !== 'object' || value === null || 'start' in value) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, upTo(one, time)]))
}

// Ids are for the caches of clients.
const dataOf = (json: string) => without('id', parseExact(json)) as Values

function without(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => without(name, one))
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  const others = Object.entries(value).filter(([key]) => key !== name)
  return Object.fromEntries(others.map(([key, one]) => [key, without(name, one)]))
}

const at = (data: Values, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Values | null)?.[key], data)

// Undefined leaves the list out.
function withList(data: Values, path: string, rows: unknown[] | undefined): Values {
  const [key = '', ...rest] = path.split('.')
  const value = rest.length > 0 ? withList(data[key] as Values, rest.join('.'), rows) : rows
  return { ...data, [key]: value }
}

// The path of the longest list that is not within another.
function longestList(data: unknown): string | undefined {
  const lists = listsIn(data, '')
  return lists.sort((a, b) => lengthOf(b.rows) - lengthOf(a.rows))[0]?.path
}

function listsIn(value: unknown, path: string): { path: string; rows: unknown[] }[] {
  if (Array.isArray(value)) return [{ path, rows: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) =>
    listsIn(one, path === '' ? key : `${path}.${key}`),
  )
}
