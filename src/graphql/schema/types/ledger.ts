import { defineLookup, type KeyType, listTypes, sqlFields } from 'pothos-sql'
import { listArguments, resolvedList } from 'pothos-sql/host'
import { changesOf, mergedEntries, notKept, runsSince } from '../../../domain/ledger/diff.ts'
import { ledger, type LedgerEntry as Row } from '../../../domain/ledger/ledger.ts'
import { REASON, reasonsJson, reasonsOf } from '../../../domain/ledger/reason.ts'
import { runBeforeSql } from '../../../domain/ledger/run-before.ts'
import { revisionColumns, revisionUsedSql } from '../../../domain/multiplier/history.ts'
import { badArgument } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { ownerOf, related } from '../relation.ts'
import { CHANGES, RARE } from './charges.ts'
import { poolField, poolOfPositions } from './pool.ts'
import { recordNode } from './record-node.ts'
import { readRecordNumber } from './record-number.ts'
import { runAt } from './run.ts'
import { userAt, userField } from './user-ref.ts'

const CHANGES_UNPLANNED =
  'They are put together from the ledgers of several runs. Operators read them, rarely.'

// The values of an entry that its multipliers are found by.
const MULTIPLIER_KEY = ['poolKey', 'distributionDate', 'reasons', 'runId']

// The multiplier of an entry's pool as a run used it. @param runOf builds the SQL of the run's
// number
const multiplierOf = (
  types: KeyType[],
  runOf: (runId: Prisma.Sql, since: Prisma.Sql) => Prisma.Sql,
) =>
  defineLookup({
    columns: revisionColumns,
    types: ['int', 'date', 'int', 'bigint', ...types],
    nullable: true,
    at: (key, date, reasons, runId, since) => {
      const pool = Prisma.sql`(SELECT pool.id FROM pool WHERE pool.key = ${key})`
      return Prisma.sql`${revisionUsedSql(pool, runOf(runId, since), date)}
        AND ${reasons} & ${Prisma.raw(String(REASON.MULTIPLIER))} <> 0`
    },
  })

const multiplierAfter = multiplierOf([], (runId) => runId)
const multiplierBefore = multiplierOf(
  ['bigint'],
  (runId, since) => Prisma.sql`coalesce(${since}, (SELECT b.id ${runBeforeSql(runId)}))`,
)

/** Adds how runs have changed the points of users. */
export function addLedger(builder: Builder): void {
  const LedgerReason = builder.enumType('LedgerReason', {
    description: "Why a run changed a user's points.",
    values: {
      POSITION_ADDED: { description: 'The run added the position.' },
      POSITION_CHANGED: { description: "The run changed the position's amounts." },
      POSITION_REMOVED: { description: 'The run removed the position.' },
      MULTIPLIER: {
        description: 'The run used another multiplier of the pool than the run before.',
      },
      BASE_POINTS: { description: 'The run used other base points than the run before.' },
      PRICE: { description: 'The run used other prices.' },
      IMPORTED_POINTS: { description: 'An import provided the points before or after the run.' },
    },
  })
  const LedgerEntry = builder.objectRef<Row>('LedgerEntry').implement({
    description: "A change of a user's points in a pool on a date by a later run.",
    fields: (t) => ({
      ...columnFields(t, ledger.columns),
      user: t.field({ ...userField, ...sqlFields.lookup(userAt, ['userAddress']) }),
      reasons: t.field({
        type: [LedgerReason],
        description: 'Why the points changed, as far as it is known.',
        ...sqlFields.declare(
          { kind: 'json', sql: (column) => reasonsJson(column('reasons')) },
          { cost: { weight: 1 } },
        ),
        resolve: ({ reasons }) => reasonsOf(reasons),
      }),
      pool: t.field({ ...poolField, ...related('LedgerEntry', 'pool', poolOfPositions) }),
      run: t.field({
        type: 'Run',
        nullable: true,
        description: 'The run. Null if its record is not stored.',
        ...sqlFields.lookup(runAt, ['runId'], { cost: RARE }),
      }),
      multiplierBefore: t.field({
        type: 'MultiplierRevision',
        nullable: true,
        description:
          'The multiplier that the points before were computed with. Null unless a multiplier ' +
          'is among the reasons, if the pool had none, and if the date was changed by an ' +
          'import in between.',
        ...sqlFields.lookup(multiplierBefore, [...MULTIPLIER_KEY, 'since'], { cost: RARE }),
      }),
      multiplierAfter: t.field({
        type: 'MultiplierRevision',
        nullable: true,
        description:
          'The multiplier that the points after were computed with. Null unless a multiplier ' +
          'is among the reasons, and if the pool has none.',
        ...sqlFields.lookup(multiplierAfter, MULTIPLIER_KEY, { cost: RARE }),
      }),
    }),
  })
  const key = ['distributionDate', 'runId', 'poolKey', 'userAddress'] as const
  recordNode(builder, LedgerEntry, ledger, [...key], {
    key: [...key, 'since'],
    load: mergedEntries,
  })
  const Ledger = listTypes(builder, LedgerEntry, ledger)
  builder.objectFields('User', (t) => ({
    ledger: t.field({
      description: 'Changes of points by all runs but the first of a date, newest first.',
      ...sqlFields.list(t.arg, 'LedgerEntry', {
        listing: () => ledger,
        owner: ownerOf('User', 'ledger', ledger),
      }),
    }),
  }))
  builder.objectFields('Run', (t) => ({
    changes: t.field({
      type: Ledger,
      description:
        'How the run changed the points of users or, with `since`, how it and the runs after ' +
        'that one did together: an entry for each user and pool, the largest change first. ' +
        '`runRecordId` is then the last run that changed it. Empty for the first run of a ' +
        'date, for a run that stored nothing, and if the changes were not kept ' +
        '(`changesNotKept`).',
      args: {
        ...listArguments(t.arg, 'LedgerEntry'),
        since: t.arg({
          type: 'BigInt',
          description: 'The number of an earlier run of the date. Default: the run before.',
        }),
      },
      extensions: { unplanned: CHANGES_UNPLANNED, cost: { weight: CHANGES } },
      resolve: async (run, { since, ...args }, context) => {
        const earlier = since ?? null
        if (earlier !== null && readRecordNumber(earlier) === null)
          throw badArgument('since', 'must be the number of a run')
        const runs = await runsSince(context.reader, run, earlier)
        const changes = changesOf(run.date ?? new Date(0), runs, earlier)
        return resolvedList({ listing: () => changes }).resolve(run, args, context)
      },
    }),
    changesNotKept: t.string({
      nullable: true,
      description:
        'Says that `changes` are not known: their entries are older than LEDGER_DAYS, or did ' +
        'not come with an import. Null if they are known.',
      extensions: { unplanned: CHANGES_UNPLANNED, cost: { weight: 1 } },
      resolve: (run, _, { reader }) => notKept(reader, run),
    }),
  }))
}
