import type { Choices } from '../../db/lists/choices.ts'
import { many, one, range } from '../../db/lists/filter.ts'
import { doubleOf, pointsOf } from '../points/millionths.ts'

/** What distributions can be filtered and sorted by. */
export const distributionChoices: Choices = {
  conditions: {
    date: range('t.date', 'date', 'Those of these dates.'),
    kind: one('upper(t.kind::text)', 'text', 'Those whose points came to be so.'),
    totalPoints: range(doubleOf('t.total_points'), 'number', 'Those with so many points.'),
    positionCount: range('t.position_count', 'int', 'Those with so many positions.'),
    accountCount: range('t.account_count', 'int', 'Those with so many accounts.'),
    finishedAt: range('t.finished_at', 'moment', 'Those whose run finished then.'),
  },
  keys: {
    DATE: { column: 't.date', field: 'date', type: 'date', description: 'The date.' },
    TOTAL_POINTS: {
      column: pointsOf('t.total_points'),
      field: 'totalPoints',
      type: 'numeric',
      description: 'Points of all positions.',
    },
    POSITION_COUNT: { column: 't.position_count', field: 'positionCount', type: 'int', description: 'Positions.' },
    ACCOUNT_COUNT: { column: 't.account_count', field: 'accountCount', type: 'int', description: 'Accounts.' },
  },
}

/** What runs can be filtered and sorted by. */
export const runChoices: Choices = {
  conditions: {
    date: range('t.date', 'date', 'Those of these distribution dates.'),
    kind: one('upper(t.kind::text)', 'text', 'Those of one kind.'),
    status: one('upper(t.status::text)', 'text', 'Those that are so far.'),
    statuses: many('upper(t.status::text)', 'text', 'Those that are as far as any of these.'),
    requestedBy: one('t.requested_by', 'text', 'Those that one actor asked for.'),
    startedAt: range('t.started_at', 'moment', 'Those that started then.'),
    finishedAt: range('t.finished_at', 'moment', 'Those that ended then.'),
  },
  keys: {
    ID: { column: 't.id', field: 'id', type: 'bigint', description: "The run's number: the order of their starts." },
    DATE: {
      column: 't.date',
      field: 'date',
      type: 'date',
      nullable: true,
      description: 'The distribution date.',
    },
  },
}
