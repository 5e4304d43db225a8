import type { Filter } from '../../../db/lists/listing.ts'
import { runChoices } from '../../../domain/distribution/choices.ts'
import { type Run as Row, runListing, runsById } from '../../../domain/distribution/run-listing.ts'
import { revisionsOfRun } from '../../../domain/multiplier/history.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { SourceReceipt } from '../../../sources/positions/positions-source.ts'
import type { GraphContext } from '../../execution/context.ts'
import { unplanned } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes, Chosen } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'
import type { MultiplierRevisionsRef } from './multiplier-revision.ts'
import { listArguments } from './page-arguments.ts'

/** A run, together with all others asked for in the same tick; null: there is none with the id. */
export function loadRun(context: GraphContext, id: bigint): Promise<Row | null> {
  return context.batches.load(runsById, id)
}

/** How a distribution's points can come to be. */
export function addDistributionKind(builder: Builder) {
  return builder.enumType('DistributionKind', {
    description: "How a distribution's stored points came to be.",
    values: {
      IMPORT: { description: 'An import brought or computed them.' },
      MANUALUPDATE: { description: "Computed from the source's positions of the date." },
      RESYNC: { description: 'Computed anew from the stored positions of the date.' },
    },
  })
}

export type DistributionKindRef = ReturnType<typeof addDistributionKind>

type Refs = {
  chosen: ChoiceTypes
  DistributionKind: DistributionKindRef
  MultiplierRevisions: MultiplierRevisionsRef
  RevisionChosen: Chosen
}

export function addRun(builder: Builder, refs: Refs) {
  const { chosen, DistributionKind, MultiplierRevisions, RevisionChosen } = refs
  const RunStatus = builder.enumType('RunStatus', {
    description: 'How far a run is.',
    values: {
      RUNNING: { description: 'It is in progress. Nothing that it does is visible yet.' },
      SUCCEEDED: { description: 'All that it computed is stored.' },
      FAILED: { description: 'It stored nothing; `error` says why.' },
    },
  })

  const RunChosen = chosen('Run', runChoices, { kind: DistributionKind, status: RunStatus, statuses: RunStatus })

  const SourceKind = builder.enumType('SourceKind', {
    description: 'What was fetched.',
    values: {
      POSITIONS: { description: 'Positions of users.' },
      PRICES: { description: 'Prices of tokens.' },
    },
  })

  const Receipt = builder.objectRef<SourceReceipt>('SourceReceipt').implement({
    description: 'What a run fetched from one source.',
    fields: (t) => ({
      kind: t.field({ type: SourceKind, description: 'What was fetched.', resolve: (receipt) => receipt.kind }),
      name: t.exposeString('name', { description: 'The source.' }),
      digest: t.exposeString('digest', {
        description: 'SHA-256 of the payload as it came, page after page, in hexadecimal.',
      }),
      count: t.exposeInt('count', { description: 'How many positions, or prices.' }),
      block: t.string({
        nullable: true,
        description: 'The block that the source answered for; null where it told none.',
        resolve: (receipt) => receipt.block,
      }),
      time: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'The moment that the source was asked for; null where it has none, such as a file.',
        resolve: (receipt) => (receipt.time === null ? null : new Date(receipt.time)),
      }),
      fetchedAt: t.field({
        type: 'DateTime',
        description: 'When the last of it had arrived.',
        resolve: (receipt) => new Date(receipt.fetchedAt),
      }),
    }),
  })

  const DayTotals = builder
    .objectRef<{ positionCount: number; accountCount: number; totalPoints: number }>('DayTotals')
    .implement({
      description: 'What a distribution date comes to.',
      fields: (t) => ({
        positionCount: t.exposeInt('positionCount', { description: 'Positions on the date.' }),
        accountCount: t.exposeInt('accountCount', { description: 'Accounts with a position on the date.' }),
        totalPoints: t.exposeFloat('totalPoints', { description: 'Points of all positions on the date.' }),
      }),
    })
  const totals = (positionCount: number | null, accountCount: number | null, totalPoints: number | null) =>
    positionCount === null || accountCount === null || totalPoints === null
      ? null
      : { positionCount, accountCount, totalPoints }

  const multipliers = unplanned({
    listing: () => revisionsOfRun,
    choices: RevisionChosen.choices,
    filter: () => ({ where: [] }),
    owner: { columns: [{ column: 'r.id', type: 'bigint' }], fields: ['id'] },
  })

  const Run = builder.objectRef<Row>('Run').implement({
    description:
      'One attempt to compute a distribution date: who asked, with what, from what to what. An import is a run for each date that it changes.',
    fields: (t) => ({
      id: t.field({
        type: 'BigInt',
        description: "The run's number: a later run has a larger one.",
        resolve: ({ id }) => id,
      }),
      kind: t.expose('kind', { type: DistributionKind, description: 'What kind of run it is.' }),
      date: t.expose('date', {
        type: 'DateTime',
        nullable: true,
        description: 'The distribution date, midnight UTC; null for an import that stored nothing.',
      }),
      status: t.expose('status', { type: RunStatus, description: 'How far it is.' }),
      requestedBy: t.exposeString('requestedBy', {
        description: 'Who asked: the name of an admin token, `cli`, `schedule` for the daily job, or `sample`.',
      }),
      startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it started.' }),
      finishedAt: t.expose('finishedAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it ended; null while it runs.',
      }),
      durationMs: t.float({
        nullable: true,
        description: 'How long it took, in milliseconds; null while it runs.',
        resolve: ({ startedAt, finishedAt }) => finishedAt && Math.max(0, finishedAt.getTime() - startedAt.getTime()),
      }),
      error: t.exposeString('error', { nullable: true, description: 'Why it failed; null unless it did.' }),
      basePointsDeposit: t.exposeFloat('baseDeposit', {
        description: 'Points a day for a dollar supplied, before multipliers, as the run used it.',
      }),
      basePointsBorrow: t.exposeFloat('baseBorrow', {
        description: 'Points a day for a dollar borrowed, before multipliers, as the run used it.',
      }),
      multipliers: t.field({
        type: MultiplierRevisions,
        nullable: true,
        description:
          'The multipliers that it used, by pool address: the newest revision of each pool at that time. Null where it did not get so far.',
        args: listArguments(t.arg, RevisionChosen),
        resolve: (run, args, context) =>
          run.multiplierRevision === null ? null : multipliers.resolve(run, args, context),
      }),
      sources: t.field({
        type: [Receipt],
        description: 'What it fetched. Empty for a resync, which fetches nothing.',
        extensions: { cost: { rows: 2 } },
        resolve: ({ sources }) => sources as unknown as SourceReceipt[],
      }),
      before: t.field({
        type: DayTotals,
        nullable: true,
        description: 'The date before the run, zeros where it was not stored; null where the run stored nothing.',
        resolve: (r) => totals(r.positionCountBefore, r.accountCountBefore, r.totalPointsBefore),
      }),
      after: t.field({
        type: DayTotals,
        nullable: true,
        description: 'The date after the run; null where the run stored nothing.',
        resolve: (r) => totals(r.positionCountAfter, r.accountCountAfter, r.totalPointsAfter),
      }),
    }),
  })
  const Runs = connectionType(builder, 'Run', Run)

  builder.queryFields((t) => ({
    run: t.field({
      type: Run,
      nullable: true,
      description: 'The run with a number; null where there is none.',
      args: { id: t.arg({ type: 'BigInt', required: true, description: "The run's number." }) },
      resolve: (_, { id }, context) => (id > 2n ** 63n - 1n ? null : loadRun(context, id)),
    }),
    runs: t.field({
      type: Runs,
      description: 'All runs, newest first.',
      args: {
        ...listArguments(t.arg, RunChosen),
        date: t.arg({ type: 'DateTime', description: 'Those of one distribution date.' }),
        kind: t.arg({ type: DistributionKind, description: 'Those of one kind.' }),
        status: t.arg({ type: RunStatus, description: 'Those that are so far.' }),
      },
      ...unplanned({
        listing: () => runListing,
        choices: RunChosen.choices,
        filter: ({ date, kind, status }) => {
          const where: Filter['where'] = []
          if (date) where.push(Prisma.sql`t.date = ${date.toISOString().slice(0, 10)}::date`)
          if (kind) where.push(Prisma.sql`t.kind = lower(${kind})::distribution_kind`)
          if (status) where.push(Prisma.sql`t.status = lower(${status})::run_status`)
          return { where }
        },
      }),
    }),
  }))
  return { Run, Runs, RunChosen, DayTotals }
}

export type RunRefs = ReturnType<typeof addRun>
