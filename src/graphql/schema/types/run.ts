import { type Run as Row, runListing, runsById } from '../../../domain/distribution/run-listing.ts'
import { revisionsOfRun } from '../../../domain/multiplier/history.ts'
import type { SourceReceipt } from '../../../sources/fetched.ts'
import type { GraphContext } from '../../context.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { listTypes } from '../../fields/list-types.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { nodeId, unplanned } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { readRecordNumber, recordNumber } from './record-number.ts'

/** Loads a run, batched. Null if there is none with the id. */
export function loadRun(context: GraphContext, id: bigint): Promise<Row | null> {
  return context.batches.load(runsById, id)
}

/** Loads the run with a number given as text. Null if there is none. */
async function loadRunOf(context: GraphContext, text: string): Promise<Row | null> {
  const id = readRecordNumber(text)
  return id === undefined ? null : loadRun(context, id)
}

export const RUN_UNPLANNED =
  "A run's fields are put together from JSON and several columns. Operators read them, rarely."

export function addRun(builder: Builder): void {
  builder.enumType('RunStatus', {
    description: 'The status of a run.',
    values: {
      RUNNING: { description: 'The run is in progress. None of its changes are visible yet.' },
      SUCCEEDED: { description: 'The run has stored everything that it computed.' },
      FAILED: { description: 'The run stored nothing; `error` says why.' },
    },
  })

  const SourceKind = builder.enumType('SourceKind', {
    description: 'The kind of data that a run fetches.',
    values: {
      POSITIONS: { description: 'Positions of users.' },
      PRICES: { description: 'Prices of tokens.' },
      ANALYTICS: { description: 'Snapshots, liquidation rewards, cash flows or rates.' },
    },
  })

  const Receipt = builder.objectRef<SourceReceipt>('SourceReceipt').implement({
    description: 'A record of what a run fetched from one source.',
    fields: (t) => ({
      kind: t.field({
        type: SourceKind,
        description: 'The kind of data that was fetched.',
        resolve: (receipt) => receipt.kind,
      }),
      name: t.exposeString('name', { description: 'The name of the source.' }),
      digest: t.exposeString('digest', {
        description: 'SHA-256 of the payload as received, page after page, in hexadecimal.',
      }),
      count: t.exposeInt('count', { description: 'Number of records or prices that were fetched.' }),
      block: t.string({
        nullable: true,
        description: 'The block that the data is from. Null if the source reported none.',
        resolve: (receipt) => receipt.block,
      }),
      time: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'The time that was requested. Null if the source has none, as a file.',
        resolve: (receipt) => (receipt.time === null ? null : new Date(receipt.time)),
      }),
      fetchedAt: t.field({
        type: 'DateTime',
        description: 'When the last of the data arrived.',
        resolve: (receipt) => new Date(receipt.fetchedAt),
      }),
    }),
  })

  builder.objectRef<{ positionCount: number; userCount: number; totalPoints: number }>('DayTotals').implement({
    description: 'The totals of a distribution date.',
    fields: (t) => ({
      positionCount: t.exposeInt('positionCount', { description: 'Number of positions on the date.' }),
      userCount: t.exposeInt('userCount', { description: 'Number of users with a position on the date.' }),
      points: t.exposeFloat('totalPoints', { description: 'Points of all positions on the date.' }),
    }),
  })
  const totals = (positionCount: number | null, userCount: number | null, totalPoints: number | null) =>
    positionCount === null || userCount === null || totalPoints === null
      ? null
      : { positionCount, userCount, totalPoints }

  const multipliers = unplanned(
    {
      listing: () => revisionsOfRun,
      owner: { columns: [{ column: 'run.id', type: 'bigint' }], fields: ['id'] },
    },
    RUN_UNPLANNED,
  )

  const { id, ...stored } = runListing.columns
  const Run = builder.objectRef<Row>('Run').implement({
    description:
      'One attempt to compute a distribution date: who requested it, its inputs, and the totals before and after. An import is one run for each date that it changes, or one without a date if it changes other records alone; an update is one for each leg of analytics.',
    fields: (t) => ({
      ...columnFields(t, stored, { kind: 'DistributionKind', status: 'RunStatus' }),
      recordId: t.string({ description: id.description, ...recordNumber }),
      durationMs: t.float({
        nullable: true,
        description: 'How long the run took, in milliseconds. Null while it is in progress.',
        resolve: ({ startedAt, finishedAt }) => finishedAt && Math.max(0, finishedAt.getTime() - startedAt.getTime()),
      }),
      multipliers: t.field({
        type: 'MultiplierRevisionConnection',
        nullable: true,
        description:
          'The multipliers that the run used, by pool address: the newest revision of each pool for the date at that time. Null if the run did not get that far.',
        args: listArguments(t.arg, 'MultiplierRevision'),
        resolve: (run, args, context) =>
          run.multiplierRevision === null ? null : multipliers.resolve(run, args, context),
      }),
      sources: t.field({
        type: [Receipt],
        description: 'The receipts of the run. Empty for a resync, which fetches nothing.',
        extensions: { cost: { rows: 2 } },
        resolve: ({ sources }) => sources as unknown as SourceReceipt[],
      }),
      totalsBefore: t.field({
        type: 'DayTotals',
        nullable: true,
        description: 'Totals before, zero for a new date. Null if the run stored nothing.',
        resolve: (r) => totals(r.positionCountBefore, r.accountCountBefore, r.totalPointsBefore),
      }),
      totalsAfter: t.field({
        type: 'DayTotals',
        nullable: true,
        description: 'The totals of the date after the run. Null if the run stored nothing.',
        resolve: (r) => totals(r.positionCountAfter, r.accountCountAfter, r.totalPointsAfter),
      }),
    }),
  })
  builder.nodeRef(Run, {
    id: { resolve: ({ id }: Row) => String(id), ...nodeId('Run', (column) => column('id')) },
    loadManyWithoutCache: (ids, context) => Promise.all(ids.map((id) => loadRunOf(context, id))),
  })
  const Runs = listTypes(builder, Run, runListing, { kinds: 'DistributionKind', statuses: 'RunStatus' })

  builder.queryFields((t) => ({
    run: t.field({
      type: Run,
      nullable: true,
      description: 'The run with this number. Null if there is none.',
      args: { recordId: t.arg.string({ required: true, description: "The run's number, as a string." }) },
      extensions: { unplanned: RUN_UNPLANNED },
      resolve: (_, { recordId }, context) => loadRunOf(context, recordId),
    }),
    runs: t.field({
      type: Runs,
      description: 'All runs, newest first.',
      args: listArguments(t.arg, 'Run'),
      ...unplanned({ listing: () => runListing }, RUN_UNPLANNED),
    }),
  }))
}
