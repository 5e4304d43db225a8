/** The value of a column in a row, as JSON. */
export type Cell = string

/** An object of a row: its members, in the order of the selection. */
interface Member {
  /** The text before its value: a brace or a comma, and its name. */
  before: string
  /** Its column, or its members. */
  value: number | Member[]
}

const QUOTE = 34
const COMMA = 44
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN = 123
const CLOSE = 125
const N = 110

/**
 * Reads the rows of pages that a plan has written. All of them have the members of the selection in
 * its order, so each value is cut out where it is: to parse the rows and write them again takes
 * longer than to read them from Postgres, and would round numbers.
 */
export class Cells {
  readonly #members: Member[]
  readonly #row: (Cell | null)[]
  #text = ''
  #at = 0

  /** @param columns their paths. `cursor` is the cursor of a row if the page has edges. */
  constructor(columns: string[], hasCursors: boolean) {
    const members = membersOf(columns.map((column, at) => ({ path: column.split('.'), at })))
    const cursor = { before: '{"cursor":', value: columns.length }
    this.#members = hasCursors ? [cursor, { before: ',"node":', value: members }] : members
    this.#row = new Array(columns.length + (hasCursors ? 1 : 0)).fill(null)
  }

  /** The rows of a page, each with its cells in the order of the columns. */
  rowsOf(page: string): Cell[][] {
    this.#text = page
    this.#at = page.indexOf('[') + 1
    const rows: Cell[][] = []
    while (page.charCodeAt(this.#at) !== CLOSE_LIST) {
      if (page.charCodeAt(this.#at) === COMMA) this.#at++
      this.#object(this.#members)
      rows.push(this.#row.slice() as Cell[])
    }
    this.#text = ''
    return rows
  }

  #object(members: Member[]): void {
    if (this.#text.charCodeAt(this.#at) === N) {
      this.#fill(members)
      this.#at += 'null'.length
      return
    }
    for (const { before, value } of members) {
      if (!this.#text.startsWith(before, this.#at))
        throw new Error(`a row of a table lacks ${before}`)
      this.#at += before.length
      if (typeof value === 'number') this.#row[value] = this.#cell()
      else this.#object(value)
    }
    this.#at++
  }

  // Nothing has the columns of an object that is null.
  #fill(members: Member[]): void {
    for (const { value } of members)
      if (typeof value === 'number') this.#row[value] = 'null'
      else this.#fill(value)
  }

  #cell(): Cell {
    const from = this.#at
    const first = this.#text.charCodeAt(from)
    if (first === QUOTE) this.#at = this.#endOfString(from)
    else if (first === OPEN || first === OPEN_LIST) this.#at = this.#endOfNested(from)
    else this.#at = this.#endOfWord(from)
    return this.#text.substring(from, this.#at)
  }

  #endOfString(from: number): number {
    let end = this.#text.indexOf('"', from + 1)
    while (this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1)
    return end + 1
  }

  #isEscaped(at: number): boolean {
    let before = at
    while (this.#text.charCodeAt(before - 1) === BACKSLASH) before--
    return (at - before) % 2 === 1
  }

  #endOfNested(from: number): number {
    let depth = 0
    let at = from
    do {
      const code = this.#text.charCodeAt(at)
      if (code === OPEN || code === OPEN_LIST) depth++
      if (code === CLOSE || code === CLOSE_LIST) depth--
      at = code === QUOTE ? this.#endOfString(at) : at + 1
    } while (depth > 0)
    return at
  }

  // Of a number, a boolean or null.
  #endOfWord(from: number): number {
    const text = this.#text
    let at = from + 1
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === COMMA || code === CLOSE) break
    }
    return at
  }
}

interface Column {
  path: string[]
  at: number
}

// Members of the same name are selected together, where the first of them is.
function membersOf(columns: Column[]): Member[] {
  const byName = new Map<string, Column[]>()
  for (const { path, at } of columns) {
    const [name = '', ...below] = path
    byName.set(name, [...(byName.get(name) ?? []), { path: below, at }])
  }
  return Array.from(byName, ([name, below], nth) => {
    const before = `${nth === 0 ? '{' : ','}${JSON.stringify(name)}:`
    const [leaf] = below.filter(({ path }) => path.length === 0)
    return { before, value: leaf ? leaf.at : membersOf(below) }
  })
}
