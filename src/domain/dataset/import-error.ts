import { GatewayError } from '../../errors.ts'

/** Something wrong with one line of a dataset. */
export interface BadLine {
  /** The file's name as messages give it, such as `positions.jsonl`. */
  file: string
  /** From 1. */
  line: number
  /** Undefined where the line as a whole is wrong. */
  field?: string
  reason: string
}

/** How many bad lines an error describes; the rest is counted. */
export const SHOWN = 20

/** A dataset that does not fit the import format. Nothing of it was stored. */
export class ImportError extends GatewayError {
  /** The first ones, in the order of the files and their lines. */
  readonly badLines: BadLine[]
  /** How many there are in all. */
  readonly count: number

  constructor(dataset: string, badLines: BadLine[], count: number) {
    const things = count === 1 ? 'one problem' : `${count} problems`
    const first = count > badLines.length ? `, the first ${badLines.length} of which are` : ''
    super(
      'BAD_INPUT',
      [`${dataset} has ${things}; nothing was imported${first}:`, ...badLines.map(describe)].join('\n'),
    )
    this.name = 'ImportError'
    this.badLines = badLines
    this.count = count
  }
}

function describe({ file, line, field, reason }: BadLine): string {
  return [`${file}:${line}`, ...(field === undefined ? [] : [field]), reason].join(': ')
}
