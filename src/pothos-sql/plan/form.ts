import { ENCODINGS, type Encoding } from '../lists/encoding.ts'
import type { Compiled } from './compile.ts'
import type { Piece } from './piece.ts'

/** How an answer differs from that of its document. */
export interface Form {
  /** True if the rows of the only list are separate, and the objects within them merged. */
  hasRows?: boolean
  /** The keys of root fields whose values are read elsewhere: HOLE is in their place. */
  holes?: ReadonlySet<string>
}

/** No JSON has this character. */
export const HOLE = '\u0001'

// How flat rows have values: a date as midnight UTC, a decimal as a number.
const ENCODINGS_OF_ROWS = new Map<Encoding, Encoding>([
  [ENCODINGS.date, ENCODINGS.midnight],
  [ENCODINGS.decimal, ENCODINGS.number],
])

/** Gives a compiled answer its form. */
export function shape({ answer, lists }: Compiled, { hasRows = false, holes }: Form): void {
  if (hasRows) for (const { rows } of lists) if (rows) rows.item = flat(rows.item)
  if (!holes || answer.kind !== 'object') return
  for (const member of answer.members)
    if (holes.has(member.key)) member.piece = { kind: 'constant', json: HOLE }
}

function flat(piece: Piece): Piece {
  if (piece.kind === 'leaf') return { ...piece, as: ENCODINGS_OF_ROWS.get(piece.as) ?? piece.as }
  if (piece.kind !== 'object') return piece
  const members = piece.members.flatMap(({ key, piece }) => {
    const value = flat(piece)
    return value.kind === 'object' ? value.members : [{ key, piece: value }]
  })
  return { ...piece, members }
}
