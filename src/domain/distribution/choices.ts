import type { Choices } from '../../db/lists/choices.ts'
import { many, one, range } from '../../db/lists/filter.ts'
import { doubleOf, pointsOf } from '../points/millionths.ts'

/** Filters and sort keys of distributions. */
export const distributionChoices: Choices = {
  conditions: {
    date: range('t.date', 'date', 'Only distributions whose date is in this range.'),
    kind: one('upper(t.kind::text)', 'text', 'Only distributions whose points were produced this way.'),
    totalPoints: range(
      doubleOf('t.total_points'),
      'number',
      'Only distributions whose total points are in this range.',
    ),
    positionCount: range('t.position_count', 'int', 'Only distributions whose number of positions is in this range.'),
    accountCount: range('t.account_count', 'int', 'Only distributions whose number of accounts is in this range.'),
    finishedAt: range('t.finished_at', 'moment', 'Only distributions whose run finished in this range.'),
  },
  keys: {
    DATE: { column: 't.date', field: 'date', type: 'date', description: 'The distribution date.' },
    TOTAL_POINTS: {
      column: pointsOf('t.total_points'),
      field: 'totalPoints',
      type: 'numeric',
      description: 'Total points of all positions.',
    },
    POSITION_COUNT: {
      column: 't.position_count',
      field: 'positionCount',
      type: 'int',
      description: 'Number of positions.',
    },
    ACCOUNT_COUNT: {
      column: 't.account_count',
      field: 'accountCount',
      type: 'int',
      description: 'Number of accounts.',
    },
  },
}

/** Filters and sort keys of runs. */
export const runChoices: Choices = {
  conditions: {
    date: range('t.date', 'date', 'Only runs whose distribution date is in this range.'),
    kind: one('upper(t.kind::text)', 'text', 'Only runs of this kind.'),
    status: one('upper(t.status::text)', 'text', 'Only runs with this status.'),
    statuses: many('upper(t.status::text)', 'text', 'Only runs with one of these statuses.'),
    requestedBy: one('t.requested_by', 'text', 'Only runs that this actor requested.'),
    startedAt: range('t.started_at', 'moment', 'Only runs that started in this range.'),
    finishedAt: range('t.finished_at', 'moment', 'Only runs that ended in this range.'),
  },
  keys: {
    ID: {
      column: 't.id',
      field: 'id',
      type: 'bigint',
      description: "The run's number, in the order in which runs started.",
    },
    DATE: {
      column: 't.date',
      field: 'date',
      type: 'date',
      nullable: true,
      description: 'The distribution date.',
    },
  },
}
