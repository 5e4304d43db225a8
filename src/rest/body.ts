import { randomUUID } from 'node:crypto'
import { exactJson } from '../exact-number.ts'
import type { Rows } from '../graphql/plan/plan.ts'

/** Rows in the place of a list in a body: of any type, for what they hold is not read. */
export const listed = (...rows: Rows[]): never[] => new Listed(rows) as never

/** The last of some rows; undefined where there is none. */
export const lastOf = <T>({ last }: Rows): T | undefined => (last === undefined ? undefined : (JSON.parse(last) as T))

/** Stands in a body for the time of the request, where `Answer.timed` says so. No stored date is written like it. */
export const REQUEST_TIME = '0000-00-00T00:00:00.000Z'

/** No client can guess it, and so send it. */
const PLACE = randomUUID()

class Listed {
  readonly #rows: Rows[]

  constructor(rows: Rows[]) {
    this.#rows = rows
  }

  toJSON(): string {
    return PLACE
  }

  json(): string {
    return `[${this.#rows.flatMap(({ length, json }) => (length > 0 ? [json] : [])).join(',')}]`
  }
}

/** A body as JSON, its rows as they are. */
export function bodyJson(body: unknown): string {
  const lists: Listed[] = []
  const json = exactJson(body)
  if (!json.includes(PLACE)) return json
  collect(body, lists)
  return lists.reduce((text, list) => text.replace(`"${PLACE}"`, () => list.json()), json)
}

function collect(value: unknown, lists: Listed[]): void {
  if (value instanceof Listed) lists.push(value)
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collect(one, lists)
}
