import type { Column } from './table.tsx'
import { Num } from './values.tsx'

interface PointsChange {
  pointsBefore: number
  pointsAfter: number
  pointsChange: number
}

/** Points before a run, under a head of one's choice, after it, and their difference. */
export const pointsChangeColumns = (before = 'Before'): Column<PointsChange>[] => [
  {
    name: before,
    numeric: true,
    cell: ({ pointsBefore }) => <Num value={pointsBefore} unit="points" />,
  },
  {
    name: 'After',
    numeric: true,
    cell: ({ pointsAfter }) => <Num value={pointsAfter} unit="points" />,
  },
  {
    name: 'Change',
    numeric: true,
    cell: ({ pointsChange }) => <Num value={pointsChange} unit="points" change="gain" />,
  },
]
