import { ENCODINGS, type Encoding } from '../../db/lists/encoding.ts'
import type { Compiled } from './compile.ts'
import type { Piece } from './piece.ts'

/** How REST writes values that the graph writes otherwise: a date as midnight UTC, a decimal as a number. */
const ENCODINGS_OF_REST = new Map<Encoding, Encoding>([
  [ENCODINGS.date, ENCODINGS.midnight],
  [ENCODINGS.decimal, ENCODINGS.number],
])

/** Writes the rows of lists as REST has them: the objects within a row are merged into it. */
export function flattenRows({ lists }: Compiled): void {
  for (const { rows } of lists) if (rows) rows.item = flat(rows.item)
}

function flat(piece: Piece): Piece {
  if (piece.kind === 'leaf') return { ...piece, as: ENCODINGS_OF_REST.get(piece.as) ?? piece.as }
  if (piece.kind !== 'object') return piece
  const members = piece.members.flatMap(({ key, piece }) => {
    const value = flat(piece)
    return value.kind === 'object' ? value.members : [{ key, piece: value }]
  })
  return { ...piece, members }
}
