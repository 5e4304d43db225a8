import type { InputRef } from '@pothos/core'
import { listTypes, sqlFields } from 'pothos-sql'
import {
  type Distribution as DistributionRow,
  distributions,
  distributionsOn,
} from '../../../domain/distribution/distribution.ts'
import { manualUpdate, manualUpdatePlan } from '../../../domain/distribution/manual-update.ts'
import {
  type DistributionPreview,
  MAX_MOVERS,
  type Mover as MoverRow,
  preview,
} from '../../../domain/distribution/preview.ts'
import { programColumns } from '../../../domain/distribution/program.ts'
import { resync, resyncPlan } from '../../../domain/distribution/resync.ts'
import { type RunRow, runListing } from '../../../domain/distribution/run-listing.ts'
import { poolsWithoutMultiplier } from '../../../domain/multiplier/problems.ts'
import type { MultiplierUpdate } from '../../../domain/multiplier/update.ts'
import { assertSortable } from '../../../domain/position/bounds.ts'
import { positionListing } from '../../../domain/position/position.ts'
import { badArgument } from '../../../errors.ts'
import { isoDay } from '../../../time.ts'
import { type GraphContext, requireAdmin } from '../../context.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { columnFields, columnsType } from '../column-fields.ts'
import { ownerOf, related, storedRow } from '../relation.ts'
import { POSITIONS, positionParts, RARE } from './charges.ts'
import { readDateId } from './node-id.ts'
import type { Problem } from './problem.ts'
import { programReading } from './program.ts'
import { loadRun, runAt } from './run.ts'
import { userAt } from './user-ref.ts'

export const distributionAt = storedRow('Distribution', distributions, distributionsOn)

export function addDistribution(builder: Builder): void {
  const DistributionKind = builder.enumType('DistributionKind', {
    description: "How a distribution's stored points were produced.",
    values: {
      IMPORT: { description: 'An import provided or computed them.' },
      MANUALUPDATE: {
        description: "A manual update computed them from the source's positions of the date.",
      },
      RESYNC: { description: 'A resync recomputed them from the stored positions for the date.' },
      UPDATE: {
        description: 'An update fetched analytics, not points. Runs alone have this kind.',
      },
    },
  })
  const Distribution = builder.objectRef<DistributionRow>('Distribution').implement({
    description: 'One day of the points program.',
    fields: (t) => ({
      ...columnFields(t, distributions.columns, { kind: 'DistributionKind' }),
      positions: t.field({
        description: 'The positions on the date, sorted by id.',
        ...sqlFields.list(t.arg, 'Position', {
          listing: () => positionListing,
          assertSortable: (args) => assertSortable(args, { dates: 1 }),
          owner: ownerOf('Distribution', 'positions', positionListing),
          total: {
            load:
              ({ positionCount }) =>
              async () =>
                positionCount,
            sql: (_, column) => column('positionCount'),
          },
          extensions: { cost: { ...POSITIONS, weight: positionParts } satisfies FieldCost },
        }),
      }),
      run: t.field({
        type: 'Run',
        nullable: true,
        description: 'The run that last changed it. Null if it predates run records.',
        ...sqlFields.lookup(runAt, ['runId'], { cost: RARE }),
      }),
      runs: t.field({
        description: 'All runs for the date, also failed and running ones, newest first.',
        ...sqlFields.list(t.arg, 'Run', {
          listing: () => runListing,
          owner: ownerOf('Distribution', 'runs', runListing),
          extensions: { cost: RARE },
        }),
      }),
    }),
  })

  builder.nodeRef(Distribution, {
    id: {
      resolve: ({ date }: DistributionRow) => isoDay(date),
      ...sqlFields.nodeId('Distribution', (column) => `${column('date')}::text`),
    },
    loadWithoutCache: (id, { batches }) => batches.load(distributionAt.load, [readDateId(id)]),
  })

  listTypes(builder, Distribution, distributions, {
    kinds: 'DistributionKind',
  })

  const Program = columnsType(builder, 'Program', programColumns, {
    description: 'The totals of the whole points program.',
  })

  const Mover = builder.objectRef<MoverRow>('DistributionMover').implement({
    description: 'A user whose points a run would change.',
    fields: (t) => ({
      user: t.field({
        type: 'User',
        description: 'The user, as stored now.',
        ...related('Account', 'user', userAt),
      }),
      pointsBefore: t.exposeFloat('pointsBefore', {
        description: "The user's current points over all dates.",
      }),
      pointsAfter: t.exposeFloat('pointsAfter', {
        description: "The user's points over all dates after the run.",
      }),
      pointsChange: t.exposeFloat('pointsChange', {
        description: 'The change in points: points after the run minus points before it.',
      }),
      rankBefore: t.exposeInt('rankBefore', {
        nullable: true,
        description: "The user's current rank. Null without a stored position.",
      }),
      rankAfter: t.exposeInt('rankAfter', {
        nullable: true,
        description: "The user's rank after the run. Null without a position then.",
      }),
    }),
  })

  const PoolMover = builder
    .objectRef<DistributionPreview['pools'][number]>('DistributionPoolMover')
    .implement({
      description: 'A pool whose points of the date a run would change.',
      fields: (t) => ({
        poolAddress: t.expose('poolAddress', {
          type: 'Address',
          description: "The pool's address.",
        }),
        pointsBefore: t.exposeFloat('pointsBefore', {
          description: "The current points of the date's positions in the pool. 0 without any.",
        }),
        pointsAfter: t.exposeFloat('pointsAfter', {
          description: "The points of the date's positions in the pool after the run.",
        }),
      }),
    })

  const Preview = builder.objectRef<DistributionPreview>('DistributionPreview').implement({
    description: 'The changes that a run would make. None of them are stored.',
    fields: (t) => ({
      date: t.expose('distributionDate', { type: 'Date', description: 'The distribution date.' }),
      kind: t.field({
        type: DistributionKind,
        description: 'The kind of run.',
        resolve: ({ kind }) => (kind === 'resync' ? 'RESYNC' : 'MANUALUPDATE'),
      }),
      totalsBefore: t.expose('totalsBefore', {
        type: 'DayTotals',
        description: 'The current totals of the date, all zero if the date is not stored.',
      }),
      totalsAfter: t.expose('totalsAfter', {
        type: 'DayTotals',
        description: 'The totals of the date after the run.',
      }),
      totalPointsBefore: t.exposeFloat('programPointsBefore', {
        description: 'Current total points of all users over all dates.',
      }),
      totalPointsAfter: t.exposeFloat('programPointsAfter', {
        description: 'Total points of all accounts over all dates after the run.',
      }),
      changedUserCount: t.exposeInt('changedUserCount', {
        description: 'Number of users whose points would change, also from or to none.',
      }),
      changedRankCount: t.exposeInt('changedRankCount', {
        description: 'Number of users whose rank would change.',
      }),
      gainingUserCount: t.exposeInt('gainingUserCount', {
        description: 'Number of users who would have more points.',
      }),
      losingUserCount: t.exposeInt('losingUserCount', {
        description: 'Number of users who would have fewer points.',
      }),
      pools: t.expose('pools', {
        type: [PoolMover],
        extensions: { cost: { rows: 'page' } },
        description: 'The `first` pools whose points of the date would change, largest first.',
      }),
      movers: t.expose('movers', {
        type: [Mover],
        extensions: { cost: { rows: 'page' } },
        description: 'The `first` users, largest change of points first, then by address.',
      }),
    }),
  })

  const runDeps = ({ deps }: GraphContext, reopen?: boolean | null) => ({
    ...deps,
    pool: deps.store.pool,
    reopen: reopen === true,
  })
  builder.queryFields((t) => ({
    program: t.field({
      type: Program,
      description: "The program's totals, now or as of a date. Leave the date out for `series`.",
      args: {
        asOf: t.arg({
          type: 'Date',
          description:
            'The last distribution date that counts. Defaults to the newest. All totals are 0 ' +
            'before the first date.',
        }),
      },
      ...programReading,
    }),
    distribution: t.field({
      type: Distribution,
      nullable: true,
      description: 'The distribution on a date. Null if no positions are stored for it.',
      args: {
        date: t.arg({ type: 'Date', required: true, description: 'The distribution date.' }),
      },
      ...sqlFields.lookup(distributionAt, ['date']),
    }),
    distributions: t.field({
      description: 'All distributions, newest date first.',
      ...sqlFields.list(t.arg, 'Distribution', { listing: () => distributions }),
    }),
    previewDistribution: t.field({
      type: Preview,
      extensions: {
        volatile: true,
        cost: { weight: 4000 },
        unplanned: 'It is a run, in a separate transaction.',
      },
      description:
        'The changes that a run for a date would make, with the stored multipliers or with ' +
        "others. A preview is a real run that is rolled back; it holds the date's lock until " +
        'it ends. Requires the admin token.',
      args: {
        date: t.arg({
          type: 'Date',
          description:
            'The distribution date. Defaults to the newest stored date for a resync and to the ' +
            'current UTC date for a manual update.',
        }),
        multipliers: t.arg({
          type: ['MultiplierInput' as never as InputRef<MultiplierUpdate>],
          description: 'Multipliers to compute with, each pool once. The rest is as stored.',
        }),
        kind: t.arg({
          type: DistributionKind,
          defaultValue: 'RESYNC',
          required: true,
          description: 'The kind of run to preview: RESYNC or MANUALUPDATE.',
        }),
        first: t.arg.int({
          defaultValue: 100,
          required: true,
          description: `Number of movers and of pools to return, 0 to ${MAX_MOVERS}.`,
        }),
      },
      resolve: (_, { date, multipliers, kind, first }, context) => {
        requireAdmin(context.admin, 'runs', 'rules')
        if (first < 0 || first > MAX_MOVERS)
          throw badArgument('first', `must be from 0 to ${MAX_MOVERS}`)
        if (kind === 'IMPORT')
          throw badArgument(
            'kind',
            'must be RESYNC or MANUALUPDATE: an import is not computed from stored data',
          )
        const deps = runDeps(context)
        const plan =
          kind === 'RESYNC' ? resyncPlan(deps, date ?? null) : manualUpdatePlan(deps, date ?? null)
        return preview(deps, plan, { first, ...(multipliers && { multipliers }) })
      },
    }),
  }))

  const DistributionInput = builder.inputType('DistributionInput', {
    description: 'The input of `resyncDistribution` and `updateDistribution`.',
    fields: (t) => ({
      date: t.field({
        type: 'Date',
        description:
          'The distribution date. Defaults to the newest stored date for `resyncDistribution`, ' +
          'to the current UTC date for `updateDistribution`.',
      }),
      reopen: t.boolean({
        description: 'True to change a season whose board is final, which is refused else.',
      }),
    }),
  })
  const RunPayload = builder.objectRef<RunRow>('RunPayload').implement({
    description: 'The run that `resyncDistribution` or `updateDistribution` made.',
    fields: (t) => ({
      run: t.field({
        type: 'Run',
        description: 'The run, which succeeded.',
        resolve: (run) => run,
      }),
      problems: t.field({
        type: ['Problem'],
        extensions: { cost: { rows: 'page' } },
        description: 'Probable mistakes in what the run stored. Mostly empty.',
        resolve: async ({ date }, _, { reader }): Promise<Problem[]> => {
          const pools = date ? await poolsWithoutMultiplier(reader, isoDay(date)) : []
          return pools.map((poolAddress) => ({
            code: 'MULTIPLIER_MISSING',
            message:
              `The pool ${poolAddress} has no multiplier for the date: ` +
              'its positions have no points.',
            poolAddress,
          }))
        },
      }),
    }),
  })
  builder.mutationFields((t) => {
    const run = (
      compute: (
        deps: ReturnType<typeof runDeps>,
        date: Date | null,
        requestedBy: string,
      ) => Promise<{ id: string }>,
      description: string,
    ) =>
      t.field({
        type: RunPayload,
        description,
        args: {
          input: t.arg({
            type: DistributionInput,
            description: 'The date, and whether a final board may change.',
          }),
        },
        resolve: async (_, { input }, context) => {
          const deps = runDeps(context, input?.reopen)
          const requestedBy = requireAdmin(context.admin, 'runs')
          const { id } = await compute(deps, input?.date ?? null, requestedBy)
          context.batches.clear()
          const stored = await loadRun(context, BigInt(id))
          if (!stored) throw new Error(`run ${id} has no record`)
          return stored
        },
      })
    return {
      resyncDistribution: run(
        resync,
        "Recomputes a date's points from its stored positions and the rules of that date. " +
          'Either everything is stored or nothing is. Requires the admin token.',
      ),
      updateDistribution: run(
        manualUpdate,
        "Fetches a date's positions from the configured source, replaces the stored ones and " +
          'computes their points. Either everything is stored or nothing is. Requires the admin ' +
          'token.',
      ),
    }
  })
}
