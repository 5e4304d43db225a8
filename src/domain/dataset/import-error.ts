import { GatewayError } from '../../errors.ts'

export interface BadLine {
  /** The name of the file in messages, such as `positions.jsonl`. */
  file: string
  line: number
  /** Undefined if the whole line is invalid. */
  field?: string
  reason: string
}

/** The number of invalid lines that an error describes. Further ones are only counted. */
export const SHOWN = 20

/** The invalid lines of a dataset so far: the first ones, and the number of all. */
export class BadLines {
  count = 0
  readonly #first: BadLine[] = []

  add(file: string, line: number, problems: { field?: string; reason: string }[]): void {
    this.count += problems.length
    for (const problem of problems.slice(0, SHOWN - this.#first.length))
      this.#first.push({ file, line, ...problem })
  }

  addUnseen(count: number): void {
    this.count += count
  }

  assertNone(dataset: string): void {
    if (this.count > 0) throw new ImportError(dataset, this.#first, this.count)
  }
}

/** A dataset that does not fit the import format. Nothing was stored. */
export class ImportError extends GatewayError {
  /** The first invalid lines, in the order of files and lines. */
  readonly badLines: BadLine[]
  readonly count: number

  constructor(dataset: string, badLines: BadLine[], count: number) {
    const things = count === 1 ? 'one problem' : `${count} problems`
    const first = count > badLines.length ? `, the first ${badLines.length} of which are` : ''
    super(
      'BAD_INPUT',
      [`${dataset} has ${things}; nothing was imported${first}:`, ...badLines.map(describe)].join(
        '\n',
      ),
    )
    this.name = 'ImportError'
    this.badLines = badLines
    this.count = count
  }
}

function describe({ file, line, field, reason }: BadLine): string {
  return [`${file}:${line}`, ...(field === undefined ? [] : [field]), reason].join(': ')
}
