import { MarksDocument } from 'lending-graph-client'
import { isoDay } from './format.ts'
import { useGraph } from './use-graph.ts'

/** A date that a chart points out, and why. */
export interface Mark {
  date: string
  text: string
}

/**
 * The dates from which other rules count, and those that a run computed again.
 * @param pools only their rules
 */
export function useMarks(pools?: string[]): Mark[] {
  const { data } = useGraph(MarksDocument, { from: '1970-01-01', ...(pools && { pools }) })
  if (!data) return []
  const texts = new Map<string, string>()
  for (const { from, revokedAt } of data.multiplierRevisions.nodes)
    if (from !== null && revokedAt === null) texts.set(isoDay(from), 'multipliers changed')
  for (const { date, recordId } of data.runs.nodes) {
    if (date === null) continue
    const before = texts.get(isoDay(date))
    // The newest run of a date comes first.
    if (!before?.includes('run'))
      texts.set(
        isoDay(date),
        [before, `run ${recordId} computed it again`].filter(Boolean).join(', '),
      )
  }
  return [...texts]
    .map(([date, text]) => ({ date, text }))
    .sort((a, b) => (a.date < b.date ? -1 : 1))
}
