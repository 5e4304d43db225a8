import { randomUUID } from 'node:crypto'
import { exactJson } from '../exact-number.ts'
import type { Rows } from '../graphql/plan/plan.ts'

/** A date as the documents write it. */
export const midnight = (date: string) => `${date}T00:00:00.000Z`

/** Puts rows into a body as a list. Their JSON is copied unread, so the list can have any type. */
export const listed = (...rows: Rows[]): never[] => new Listed(rows) as never

/** The last row. Undefined if there are no rows. */
export const lastOf = <T>({ last }: Rows): T | undefined => (last === undefined ? undefined : (JSON.parse(last) as T))

/** Placeholder for the time of the request in a body with `Answer.timed`. No stored date looks like it. */
export const REQUEST_TIME = '0000-00-00T00:00:00.000Z'

/** Stands for a list of rows while the body is serialized. Clients cannot guess it. */
const PLACEHOLDER = randomUUID()

class Listed {
  readonly #rows: Rows[]

  constructor(rows: Rows[]) {
    this.#rows = rows
  }

  toJSON(): string {
    return PLACEHOLDER
  }

  json(): string {
    return `[${this.#rows.flatMap(({ length, json }) => (length > 0 ? [json] : [])).join(',')}]`
  }
}

/** Serializes a body, with the JSON of its rows copied unchanged. */
export function bodyJson(body: unknown): string {
  const lists: Listed[] = []
  const json = exactJson(body)
  if (!json.includes(PLACEHOLDER)) return json
  collect(body, lists)
  return lists.reduce((text, list) => text.replace(`"${PLACEHOLDER}"`, () => list.json()), json)
}

function collect(value: unknown, lists: Listed[]): void {
  if (value instanceof Listed) lists.push(value)
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collect(one, lists)
}
