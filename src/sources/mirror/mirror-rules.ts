import type { RecordFiles } from '../dataset/record-files.ts'
import { type CopiedRules, OF_SETTINGS } from './copied-rules.ts'
import type { GatewayGraph, GraphRevision } from './gateway-graph.ts'
import { Contradiction, type RestPool } from './rest-api.ts'

// The graph lists so many revisions of base points.
const LISTED = 100

/**
 * Copies the rules of another gateway: the history of multipliers and base points, and its seasons.
 * @returns the rules that are not records, and sentences about those that the gateway does not show
 */
export async function mirrorRules(
  graph: GatewayGraph,
  files: RecordFiles,
  { source, pools }: { source: string; pools: RestPool[] },
): Promise<{ rules: CopiedRules; notes: string[] }> {
  const rules: CopiedRules = {
    multipliers: false,
    basePoints: undefined,
    seasons: undefined,
    programName: null,
  }
  const hidden: string[] = []
  if (graph.multiplierRevisions) {
    await mirrorMultipliers(graph.multiplierRevisions(), files, { source, pools })
    rules.multipliers = true
  } else hidden.push('multipliers of dates')
  const notes: string[] = []
  if (graph.basePoints) {
    const { basePoints, basePointsRevisions: revisions } = await graph.basePoints()
    assertDistinct(source, 'base points', revisions)
    await files.write(
      'base-points-revisions',
      revisions.filter(({ id }) => id !== OF_SETTINGS),
    )
    const { deposit, borrow, revision } = basePoints
    const isSetting = revision === null || Number(revision.recordId) === OF_SETTINGS
    rules.basePoints = { settings: isSetting ? { deposit, borrow } : null }
    if (revisions.length === LISTED && !revisions.some(countsForEveryDate))
      notes.push(
        `${source} shows only its newest ${LISTED} changes of base points: older ones were not ` +
          'copied.',
      )
  } else hidden.push('base points')
  if (graph.program) {
    const { name, seasons } = await graph.program()
    Object.assign(rules, { seasons, programName: name })
  } else hidden.push('seasons')
  if (hidden.length > 0)
    notes.push(
      `${source} is of a version that does not show its ${listed(hidden)}, so they were not ` +
        'copied: new points may differ.',
    )
  return { rules, notes }
}

async function mirrorMultipliers(
  pages: AsyncIterable<{ total: number; revisions: GraphRevision[] }>,
  files: RecordFiles,
  { source, pools }: { source: string; pools: RestPool[] },
): Promise<void> {
  const known = new Set(pools.map(({ id }) => id))
  const seen = new Set<number>()
  let expected = 0
  for await (const { total, revisions } of pages) {
    expected = total
    assertDistinct(source, 'multipliers', revisions, seen)
    if (seen.size > total) break
    await files.write(
      'multiplier-revisions',
      revisions.filter(({ poolAddress }) => known.has(poolAddress)),
    )
  }
  if (seen.size !== expected)
    throw new Contradiction(
      source,
      `its graph gave ${seen.size} revisions of multipliers, and counts ${expected}`,
    )
}

function assertDistinct(
  source: string,
  what: string,
  revisions: { id: number }[],
  seen = new Set<number>(),
): void {
  for (const { id } of revisions) {
    if (seen.has(id))
      throw new Contradiction(source, `its graph has the revision ${id} of ${what} twice`)
    seen.add(id)
  }
}

const countsForEveryDate = ({
  fromDate,
  revokedAt,
}: {
  fromDate: string | null
  revokedAt: string | null
}) => fromDate === null && revokedAt === null

const listed = (names: string[]) => new Intl.ListFormat('en', { type: 'conjunction' }).format(names)
