import { SHOWN } from './import-error.ts'
import type { Problem } from './problem.ts'

const NAMED = 3

/** Lines of a file that do not stop its import, with the first reasons. */
export class NotedLines {
  count = 0
  readonly first: { line: number; problems: Problem[] }[] = []
  private readonly what: string

  /** @param what completes a sentence about lines, such as 'left out' */
  constructor(what: string) {
    this.what = what
  }

  add(line: number, problems: Problem[]): void {
    this.count++
    if (this.first.length < SHOWN) this.first.push({ line, problems })
  }

  sentences(file: string): string[] {
    const { count } = this
    if (count === 0) return []
    const reasons = this.first
      .slice(0, NAMED)
      .map(
        ({ line, problems: [first] }) =>
          `line ${line}: ${[first?.field, first?.reason].join(' ').trim()}`,
      )
    const lines = count === 1 ? 'One line' : `${count.toLocaleString('en-US')} lines`
    const more = count > NAMED ? `; and ${(count - NAMED).toLocaleString('en-US')} more` : ''
    return [
      `${lines} of ${file} ${count === 1 ? 'is' : 'are'} ${this.what} ` +
        `(${reasons.join('; ')}${more}).`,
    ]
  }
}
