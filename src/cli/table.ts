import CliTable from 'cli-table3'
import { visible } from '../visible.ts'

// The width of a table outside of a terminal.
const PIPED = 120
const GAP = 2
const NARROWEST = 8

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [
      side,
      `${side}-mid`,
      `${side}-left`,
      `${side}-right`,
      `${side}-mid-mid`,
      'middle',
    ])
    .map((name) => [name, '']),
)

/** A table that fits the terminal: the widest columns are wrapped. */
export function table(names: string[], records: (string | number)[][]): string {
  const [head = [], ...rows] = [names, ...records].map((cells) =>
    cells.map((cell) => visible(String(cell))),
  )
  const colWidths = head.map(
    (name, at) => Math.max(...[name, ...rows.map((row) => row[at] ?? '')].map(lengthOf)) + GAP,
  )
  const width = process.stdout.columns ?? PIPED
  for (let excess = sum(colWidths) - width; excess > 0; excess--) {
    const widest = Math.max(...colWidths)
    if (widest <= NARROWEST) break
    colWidths[colWidths.indexOf(widest)] = widest - 1
  }
  const drawn = new CliTable({
    head,
    colWidths,
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    wordWrap: true,
  })
  const cellOf = (cell: string, at: number) => {
    const room = (colWidths[at] ?? 0) - GAP
    // An address that is too long for its column goes on in the next line.
    return {
      content: cell,
      wrapOnWordBoundary: cell.split(/\s/).every((word) => word.length <= room),
    }
  }
  drawn.push(...rows.map((row) => row.map(cellOf)))
  return drawn.toString().replace(/ +$/gm, '')
}

const lengthOf = (cell: string) => cell.length
const sum = (widths: number[]) => widths.reduce((all, one) => all + one, 0)
