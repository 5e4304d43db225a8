import { listTypes, type PlainList, sqlFields } from 'pothos-sql'
import {
  type RunRow as Row,
  receiptColumns,
  receiptsFrom,
  runListing,
  runsById,
} from '../../../domain/distribution/run-listing.ts'
import { revisionsOfRun } from '../../../domain/multiplier/history.ts'
import type { SourceReceipt } from '../../../sources/index.ts'
import type { GraphContext } from '../../context.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { storedRow } from '../relation.ts'
import { RARE } from './charges.ts'
import { addNode } from './node.ts'
import { parseRecordNumber, readRecordNumber } from './record-number.ts'

export const runAt = storedRow('Run', runListing, runsById)

/** Loads a run, batched. Null if there is none with the id. */
export function loadRun(context: GraphContext, id: bigint): Promise<Row | null> {
  return context.batches.load(runAt.load, [id])
}

const receipts: PlainList = {
  columns: receiptColumns,
  by: ['sources'],
  from: (_, sources) => receiptsFrom(sources),
}

// A value that is computed from a column.
const COMPUTED = { cost: { weight: 1 } }

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
      kind: t.expose('kind', {
        type: SourceKind,
        extensions: COMPUTED,
        description: 'The kind of data that was fetched.',
      }),
      name: t.exposeString('name', { description: 'The name of the source.' }),
      digest: t.exposeString('digest', {
        description: 'SHA-256 of the payload as received, page after page, in hexadecimal.',
      }),
      count: t.exposeInt('count', {
        description: 'Number of records or prices that were fetched.',
      }),
      block: t.exposeString('block', {
        nullable: true,
        extensions: COMPUTED,
        description: 'The block that the data is from. Null if the source reported none.',
      }),
      time: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'The time that was requested. Null if the source has none, as a file.',
        ...sqlFields.declare({ kind: 'column', column: 'time' }, COMPUTED),
        resolve: (receipt) => (receipt.time === null ? null : new Date(receipt.time)),
      }),
      fetchedAt: t.field({
        type: 'DateTime',
        description: 'When the last of the data arrived.',
        ...sqlFields.declare({ kind: 'column', column: 'fetchedAt' }, COMPUTED),
        resolve: (receipt) => new Date(receipt.fetchedAt),
      }),
    }),
  })

  builder
    .objectRef<{ positionCount: number; userCount: number; totalPoints: number }>('DayTotals')
    .implement({
      description: 'The totals of a distribution date.',
      fields: (t) => ({
        positionCount: t.exposeInt('positionCount', {
          description: 'Number of positions on the date.',
        }),
        userCount: t.exposeInt('userCount', {
          description: 'Number of users with a position on the date.',
        }),
        points: t.exposeFloat('totalPoints', {
          description: 'Points of all positions on the date.',
        }),
      }),
    })
  const totals = (when: 'Before' | 'After') => {
    const points = `totalPoints${when}`
    const columns = { positionCount: `positionCount${when}`, userCount: `accountCount${when}` }
    // The row has the property that `points` exposes.
    return sqlFields.embedded({ ...columns, points, totalPoints: points }, {}, points)
  }
  const Run = builder.objectRef<Row>('Run').implement({
    description:
      'One attempt to compute a distribution date: who requested it, its inputs, and the ' +
      'totals before and after. An import is one run for each date that it changes, or one ' +
      'without a date if it changes other records alone; an update is one for each leg of ' +
      'analytics.',
    fields: (t) => ({
      ...columnFields(t, runListing.columns, { kind: 'DistributionKind', status: 'RunStatus' }),
      durationMs: t.float({
        nullable: true,
        description: 'How long the run took, in milliseconds. Null while it is in progress.',
        ...sqlFields.declare(
          {
            kind: 'sql',
            type: 'float',
            sql: (column) => {
              const [start, end] = [column('startedAt'), column('finishedAt')]
              const ms = `extract(epoch FROM ${end} - ${start}) * 1000`
              return `(CASE WHEN ${end} IS NOT NULL THEN greatest(0, ${ms}) END)::float8`
            },
          },
          COMPUTED,
        ),
        resolve: ({ startedAt, finishedAt }) =>
          finishedAt && Math.max(0, finishedAt.getTime() - startedAt.getTime()),
      }),
      multipliers: t.field({
        nullable: true,
        description:
          'The multipliers that the run used, by pool address: the newest revision of each ' +
          'pool for the date at that time. Null if the run did not get that far.',
        ...sqlFields.list(t.arg, 'MultiplierRevision', {
          listing: () => revisionsOfRun,
          owner: { columns: [{ column: 'run.id', type: 'bigint' }], fields: ['id'] },
          presence: 'multiplierRevision',
          extensions: { cost: RARE },
        }),
      }),
      sources: t.field({
        type: [Receipt],
        description: 'The receipts of the run. Empty for a resync, which fetches nothing.',
        ...sqlFields.declare(
          { kind: 'list', list: receipts },
          { cost: { once: 0, weight: 0, rows: 2 } },
        ),
        resolve: ({ sources }) => sources as unknown as SourceReceipt[],
      }),
      totalsBefore: t.field({
        type: 'DayTotals',
        nullable: true,
        description: 'Totals before, zero for a new date. Null if the run stored nothing.',
        ...totals('Before'),
      }),
      totalsAfter: t.field({
        type: 'DayTotals',
        nullable: true,
        description: 'The totals of the date after the run. Null if the run stored nothing.',
        ...totals('After'),
      }),
    }),
  })
  addNode(builder, Run, 'id', (text, context) => {
    const id = parseRecordNumber(text)
    return id === null ? null : loadRun(context, id)
  })
  listTypes(builder, Run, runListing, {
    kinds: 'DistributionKind',
    statuses: 'RunStatus',
  })

  builder.queryFields((t) => ({
    run: t.field({
      type: Run,
      nullable: true,
      description: 'The run with this number. Null if there is none.',
      args: {
        recordId: t.arg({ type: 'BigInt', required: true, description: "The run's number." }),
      },
      ...sqlFields.lookup({ ...runAt, read: readRecordNumber }, ['recordId'], { cost: RARE }),
    }),
    runs: t.field({
      description: 'All runs, newest first.',
      ...sqlFields.list(t.arg, 'Run', { listing: () => runListing, extensions: { cost: RARE } }),
    }),
  }))
}
