import type { Listing } from '../../db/listing.ts'
import { manualUpdate } from '../../domain/distribution/manual-update.ts'
import { resync } from '../../domain/distribution/resync.ts'
import type { DistributionRun as Run } from '../../domain/distribution/run.ts'
import { positionFilter } from '../../domain/position/filter.ts'
import { isoDate, positionListing } from '../../domain/position/position.ts'
import { type Distribution as DistributionRow, Prisma } from '../../generated/prisma/client.ts'
import type { Builder } from '../builder.ts'
import { connect } from '../connection.ts'
import { type GraphContext, requireAdmin } from '../context.ts'
import { connectionType } from './connection-type.ts'
import { dateId, readDateId } from './node-id.ts'
import { pageArguments } from './page-arguments.ts'
import type { PositionsRef } from './position.ts'

const distributions: Listing<DistributionRow> = {
  name: 'distributions',
  from: Prisma.sql`distribution t`,
  columns: Prisma.sql`t.date, t.total_points AS "totalPoints", t.position_count AS "positionCount",
    t.account_count AS "accountCount", upper(t.kind::text) AS kind, t.started_at AS "startedAt",
    t.finished_at AS "finishedAt"`,
  order: [{ column: 't.date', field: 'date', type: 'date', direction: 'DESC' }],
}

export function addDistribution(builder: Builder, { Positions }: { Positions: PositionsRef }) {
  const DistributionKind = builder.enumType('DistributionKind', {
    description: "How a distribution's stored points came to be.",
    values: {
      IMPORT: { description: 'An import brought or computed them.' },
      MANUALUPDATE: { description: "Computed from the source's positions of the date." },
      RESYNC: { description: 'Computed anew from the stored positions of the date.' },
    },
  })

  const Distribution = builder.prismaNode('Distribution', {
    id: { resolve: ({ date }) => dateId(date) },
    findUnique: (id) => ({ date: readDateId(id) }),
    nullable: true,
    description: 'One day of the points program.',
    fields: (t) => ({
      date: t.expose('date', { type: 'DateTime', description: 'The distribution date, midnight UTC.' }),
      totalPoints: t.exposeFloat('totalPoints', { description: 'Points of all positions on the date.' }),
      positionCount: t.exposeInt('positionCount', { description: 'Positions on the date.' }),
      accountCount: t.exposeInt('accountCount', { description: 'Accounts with a position on the date.' }),
      kind: t.expose('kind', { type: DistributionKind, description: 'How its stored points came to be.' }),
      startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When the run that stored them started.' }),
      finishedAt: t.expose('finishedAt', { type: 'DateTime', description: 'When the run that stored them finished.' }),
      positions: t.field({
        type: Positions,
        description: 'The positions of the date, by id.',
        args: pageArguments(t.arg),
        resolve: (distribution, args, context) =>
          connect(context, positionListing, positionFilter({}), args, {
            scope: { columns: [{ column: 't.distribution_date', type: 'date' }], value: [isoDate(distribution.date)] },
            total: async () => distribution.positionCount,
          }),
      }),
    }),
  })

  const Distributions = connectionType(builder, 'Distribution', Distribution)

  const Program = builder.prismaObject('Program', {
    description: 'The totals of the whole points program.',
    fields: (t) => ({
      totalPoints: t.exposeFloat('totalPoints', { description: 'Points of all accounts over all distribution dates.' }),
      accountCount: t.exposeInt('accountCount', { description: 'Addresses with at least one stored position.' }),
      positionCount: t.exposeInt('positionCount', { description: 'Stored positions over all distribution dates.' }),
    }),
  })

  const DistributionRun = builder.objectRef<Run>('DistributionRun').implement({
    description: 'What a run that recomputed a distribution did.',
    fields: (t) => ({
      distributionDate: t.expose('distributionDate', {
        type: 'DateTime',
        description: 'The distribution date, midnight UTC.',
      }),
      positionCount: t.exposeInt('positionCount', { description: 'Positions on the date.' }),
      totalPoints: t.exposeFloat('totalPoints', { description: 'Points of all positions on the date.' }),
      startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When the run started.' }),
      finishedAt: t.expose('finishedAt', { type: 'DateTime', description: 'When the run finished.' }),
    }),
  })

  builder.queryFields((t) => ({
    program: t.prismaField({
      type: Program,
      description: 'The totals of the whole points program.',
      resolve: (query, _, __, context) => context.reader.program.findFirstOrThrow(query),
    }),
    distribution: t.prismaField({
      type: 'Distribution',
      nullable: true,
      description: 'The distribution of a date; null where no positions are stored for it.',
      args: { date: t.arg({ type: 'DateTime', required: true, description: 'The date.' }) },
      resolve: (query, _, { date }, context) =>
        context.reader.distribution.findUnique({ ...query, where: { date: new Date(isoDate(date)) } }),
    }),
    distributions: t.field({
      type: Distributions,
      description: 'All distributions, newest date first.',
      args: pageArguments(t.arg),
      resolve: (_, args, context) => connect(context, distributions, { where: [] }, args),
    }),
  }))

  const runDeps = ({ deps }: GraphContext) => ({ ...deps, pool: deps.store.pool })
  builder.mutationFields((t) => ({
    resyncDistribution: t.field({
      type: DistributionRun,
      description:
        "Computes a date's points anew from its stored positions and the present multipliers. All of it lands or none. Needs the admin token.",
      args: { date: t.arg({ type: 'DateTime', description: 'The date; the newest stored one when left out.' }) },
      resolve: async (_, { date }, context) => {
        requireAdmin(context.admin)
        const run = await resync(runDeps(context), date ?? null)
        context.batches.clear()
        return run
      },
    }),
    updateDistribution: t.field({
      type: DistributionRun,
      description:
        "Fetches a date's positions from the configured source, replaces the stored ones by them and computes their points. All of it lands or none. Needs the admin token.",
      args: { date: t.arg({ type: 'DateTime', description: 'The date; the current UTC date when left out.' }) },
      resolve: async (_, { date }, context) => {
        requireAdmin(context.admin)
        const run = await manualUpdate(runDeps(context), date ?? null)
        context.batches.clear()
        return run
      },
    }),
  }))
  return Distribution
}
