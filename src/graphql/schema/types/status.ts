import { type Distribution, newestDistribution } from '../../../domain/distribution/distribution.ts'
import {
  type Clock,
  LATE_HOURS,
  nextDistribution,
  nextRecords,
  nextUpdate,
  withLoad,
} from '../../../domain/status/expected.ts'
import { type LegState, legStates } from '../../../domain/status/legs.ts'
import { MAX_RUNS, type NewestRuns, newestRuns } from '../../../domain/status/newest-runs.ts'
import { NEWEST_SNAPSHOTS, type NewestOfChain } from '../../../domain/status/newest-snapshots.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { GraphContext } from '../../context.ts'
import type { Builder } from '../builder.ts'
import { loadRun } from './run.ts'

interface StatusRow {
  distribution: Distribution | null
  runs: NewestRuns
}

interface ChainRow extends NewestOfChain, Clock {
  /** True if there are records of every day. */
  daily: boolean
  /** True if a record is of a whole day. */
  wholeDay?: boolean
}

const LATE = `more than ${LATE_HOURS} hours overdue`

/** Adds how new the data is, and what is late. */
export function addStatus(builder: Builder): void {
  const next = ({ distribution, runs }: StatusRow, { deps }: GraphContext) =>
    distribution &&
    nextDistribution(distribution.date, deps.config.DISTRIBUTION_CRON, {
      now: deps.now(),
      loadedAt: runs.loadedAt,
    })
  const nextOfChain = ({ time, daily, wholeDay, ...clock }: ChainRow) =>
    time && daily ? nextRecords(time, wholeDay === true, clock) : null

  const ChainStatus = builder.objectRef<ChainRow>('ChainStatus').implement({
    description: 'How new the records of a chain are.',
    fields: (t) => ({
      chainId: t.field({
        type: 'SafeInt',
        description: 'The chain id.',
        resolve: ({ chainId }) => BigInt(chainId),
      }),
      newestRecordAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'The time of the newest record. Null if none is stored.',
        resolve: ({ time }) => time,
      }),
      expectedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description:
          'When newer records are expected: a day after the newest; prices when the next day ' +
          'has ended. Null if none, or if they do not come daily.',
        resolve: (chain) => nextOfChain(chain)?.expectedAt ?? null,
      }),
      late: t.boolean({
        description: `True if newer records are ${LATE}. False if none is expected.`,
        resolve: (chain) => nextOfChain(chain)?.late ?? false,
      }),
    }),
  })

  const nextOfLeg = ({ updatedAt }: LegState, { deps }: GraphContext) =>
    nextUpdate(updatedAt, deps.config.ANALYTICS_CRON, deps.now())
  const LegStatus = builder.objectRef<LegState>('LegStatus').implement({
    description: 'How new the records of one kind are that updates fetch from a source.',
    fields: (t) => ({
      leg: t.exposeString('leg', {
        description: 'The records, such as `market-snapshots` or `cash-flows`.',
      }),
      source: t.exposeString('source', {
        description: 'The name of the source of the newest update.',
      }),
      newestRecordAt: t.field({
        type: 'DateTime',
        description:
          'The date of the newest record that the source had. Of records without dates, when ' +
          'they were read.',
        resolve: ({ newest }) => newest,
      }),
      updatedAt: t.field({
        type: 'DateTime',
        description: 'When the newest successful update ended.',
        resolve: ({ updatedAt }) => updatedAt,
      }),
      expectedAt: t.field({
        type: 'DateTime',
        description: 'When the next is expected: by schedule, or a day after the newest.',
        resolve: (state, _, context) => nextOfLeg(state, context).expectedAt,
      }),
      late: t.boolean({
        description: `True if the next update is ${LATE}.`,
        resolve: (state, _, context) => nextOfLeg(state, context).late,
      }),
      chains: t.field({
        type: [ChainStatus],
        description:
          'The records that updates have fetched of each chain, by chain id. Snapshots and ' +
          'prices are expected every day.',
        extensions: { cost: { rows: 10 } },
        resolve: ({ chains, daily, wholeDay }, _, { deps }) =>
          chains.map((chain) => ({ ...chain, daily, wholeDay, now: deps.now(), loadedAt: null })),
      }),
    }),
  })

  const Status = builder.objectRef<StatusRow>('Status').implement({
    description: 'How new the data is, when more is expected, and what is late.',
    fields: (t) => ({
      distribution: t.field({
        type: 'Distribution',
        nullable: true,
        description: 'The newest distribution. Null if no positions are stored.',
        resolve: ({ distribution }) => distribution,
      }),
      nextDistributionDate: t.field({
        type: 'Date',
        nullable: true,
        description: 'The date after the newest. Null if no positions are stored.',
        resolve: (status, _, context) => next(status, context)?.date ?? null,
      }),
      nextDistributionExpectedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description:
          'When the distribution after the newest is expected: when the daily job of this ' +
          'gateway computes it or, without such a job, at its midnight. A date that was due ' +
          'before the store was loaded is expected at the next run of the job, or a day after. ' +
          'Null if no positions are stored.',
        resolve: (status, _, context) => next(status, context)?.expectedAt ?? null,
      }),
      distributionLate: t.boolean({
        description: `True if the next one is ${LATE}. False without any.`,
        resolve: (status, _, context) => next(status, context)?.late ?? false,
      }),
      chains: t.field({
        type: [ChainStatus],
        description: 'The snapshots of each chain with a stored market or vault, by chain id.',
        extensions: { cost: { weight: 10, rows: 10 } },
        resolve: async ({ runs: { loadedAt } }, __, { reader, deps }) => {
          const chains = await reader.$queryRaw<NewestOfChain[]>(Prisma.raw(NEWEST_SNAPSHOTS))
          return withLoad(chains, loadedAt).map((chain) => ({
            ...chain,
            daily: true,
            now: deps.now(),
          }))
        },
      }),
      legs: t.field({
        type: [LegStatus],
        description: 'The kinds of records that updates have fetched, by name.',
        extensions: { cost: { rows: 12 } },
        resolve: (_, __, { reader }) => legStates(reader),
      }),
      lastRun: t.field({
        type: 'Run',
        nullable: true,
        description: 'The newest run of any kind and status. Null if none is recorded.',
        resolve: ({ runs }, _, context) => (runs.run === null ? null : loadRun(context, runs.run)),
      }),
      lastImport: t.field({
        type: 'Run',
        nullable: true,
        description: `The newest import of any status. Null if none of ${MAX_RUNS} runs is one.`,
        resolve: ({ runs }, _, context) =>
          runs.import === null ? null : loadRun(context, runs.import),
      }),
    }),
  })

  builder.queryField('status', (t) =>
    t.field({
      type: Status,
      description: 'How new the distributions and snapshots are, and which are late.',
      extensions: {
        volatile: true,
        cost: { weight: 90 },
        unplanned: 'It depends on the time of the request.',
      },
      resolve: async (_, __, context) => ({
        distribution: await newestDistribution(context.reader),
        runs: await newestRuns(context.reader),
      }),
    }),
  )
}
