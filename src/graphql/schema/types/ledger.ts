import { changesOf, mergedEntries, notKept, runsSince } from '../../../domain/ledger/diff.ts'
import { ledger, type LedgerEntry as Row } from '../../../domain/ledger/ledger.ts'
import { reasonsOf } from '../../../domain/ledger/reason.ts'
import { runsBefore } from '../../../domain/ledger/run-before.ts'
import { revisionsUpTo } from '../../../domain/multiplier/history.ts'
import { badArgument } from '../../../errors.ts'
import type { GraphContext } from '../../context.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { listTypes } from '../../fields/list-types.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { ownerOf, related } from '../../fields/relation.ts'
import { list, one, unplanned } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { CHANGES } from './charges.ts'
import { poolField, poolOfPositions } from './pool.ts'
import { recordNode } from './record-node.ts'
import { readRecordNumber } from './record-number.ts'
import { loadRun, RUN_UNPLANNED } from './run.ts'
import { userAt } from './user-ref.ts'

/** Loads the multiplier of an entry's pool as a run used it. Null unless the multiplier is a reason. */
async function multiplierOf(entry: Row, runId: bigint | null, context: GraphContext) {
  if (runId === null || !reasonsOf(entry.reasons).includes('MULTIPLIER')) return null
  const [run, pool] = await Promise.all([
    loadRun(context, runId),
    context.batches.load(poolOfPositions.load, [String(entry.poolKey)]),
  ])
  if (!pool || !run || run.multiplierRevision === null) return null
  const { multiplierRevision: revision } = run
  return context.batches.load(revisionsUpTo, { poolAddress: pool.id, revision, date: entry.distributionDate })
}

/** Adds how runs have changed the points of users. */
export function addLedger(builder: Builder): void {
  const LedgerReason = builder.enumType('LedgerReason', {
    description: "Why a run changed a user's points.",
    values: {
      POSITION_ADDED: { description: 'The run added the position.' },
      POSITION_CHANGED: { description: "The run changed the position's amounts." },
      POSITION_REMOVED: { description: 'The run removed the position.' },
      MULTIPLIER: { description: 'The run used another multiplier of the pool than the run before.' },
      BASE_POINTS: { description: 'The run used other base points than the run before.' },
      PRICE: { description: 'The run used other prices.' },
      IMPORTED_POINTS: { description: 'An import provided the points before or after the run.' },
    },
  })
  const LedgerEntry = builder.objectRef<Row>('LedgerEntry').implement({
    description: "A change of a user's points in a pool on a date by a later run.",
    fields: (t) => ({
      ...columnFields(t, ledger.columns),
      user: t.field({ type: 'User', description: 'The user.', ...one(userAt, ['userAddress']) }),
      reasons: t.field({
        type: [LedgerReason],
        description: 'Why the points changed, as far as it is known.',
        extensions: { unplanned: 'A list of words is not a column.' },
        resolve: ({ reasons }) => reasonsOf(reasons),
      }),
      pool: t.field({ ...poolField, ...related('LedgerEntry', 'pool', poolOfPositions) }),
      run: t.field({
        type: 'Run',
        nullable: true,
        description: 'The run. Null if its record is not stored.',
        extensions: { unplanned: RUN_UNPLANNED },
        resolve: ({ runId }, _, context) => loadRun(context, runId),
      }),
      multiplierBefore: t.field({
        type: 'MultiplierRevision',
        nullable: true,
        description:
          'The multiplier that the points before were computed with. Null unless a multiplier is among the reasons, if the pool had none, and if the date was changed by an import in between.',
        extensions: { unplanned: RUN_UNPLANNED },
        resolve: async (entry, _, context) =>
          multiplierOf(entry, entry.since ?? (await context.batches.load(runsBefore, entry.runId)), context),
      }),
      multiplierAfter: t.field({
        type: 'MultiplierRevision',
        nullable: true,
        description:
          'The multiplier that the points after were computed with. Null unless a multiplier is among the reasons, and if the pool has none.',
        extensions: { unplanned: RUN_UNPLANNED },
        resolve: (entry, _, context) => multiplierOf(entry, entry.runId, context),
      }),
    }),
  })
  const key = ['distributionDate', 'runId', 'poolKey', 'userAddress'] as const
  recordNode(builder, LedgerEntry, ledger, [...key], { key: [...key, 'since'], load: mergedEntries })
  const Ledger = listTypes(builder, LedgerEntry, ledger)
  builder.objectFields('User', (t) => ({
    ledger: t.field({
      type: Ledger,
      description: 'Changes of points by all runs but the first of a date, newest first.',
      args: listArguments(t.arg, 'LedgerEntry'),
      ...list({
        listing: () => ledger,
        owner: ownerOf('User', 'ledger', ledger),
      }),
    }),
  }))
  builder.objectFields('Run', (t) => ({
    changes: t.field({
      type: Ledger,
      description:
        'How the run changed the points of users or, with `since`, how it and the runs after that one did together: an entry for each user and pool, the largest change first. `runRecordId` is then the last run that changed it. Empty for the first run of a date, for a run that stored nothing, and if the changes were not kept (`changesNotKept`).',
      args: {
        ...listArguments(t.arg, 'LedgerEntry'),
        since: t.arg.string({
          description: 'The number of an earlier run of the date. Default: the run before.',
        }),
      },
      extensions: { unplanned: RUN_UNPLANNED, cost: { weight: CHANGES } },
      resolve: async (run, { since, ...args }, context) => {
        const earlier = since ? readRecordNumber(since) : null
        if (earlier === undefined) throw badArgument('since', 'must be the number of a run, as a string')
        const runs = await runsSince(context.reader, run, earlier)
        const changes = changesOf(run.date ?? new Date(0), runs, earlier)
        return unplanned({ listing: () => changes }, RUN_UNPLANNED).resolve(run, args, context)
      },
    }),
    changesNotKept: t.string({
      nullable: true,
      description:
        'Says that `changes` are not known: their entries are older than LEDGER_DAYS, or did not come with an import. Null if they are known.',
      extensions: { unplanned: RUN_UNPLANNED, cost: { weight: 1 } },
      resolve: (run, _, { reader }) => notKept(reader, run),
    }),
  }))
}
