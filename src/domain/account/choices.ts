import type { Choices } from '../../db/lists/choices.ts'
import { many, one, range } from '../../db/lists/filter.ts'
import { doubleOf, pointsOf } from '../points/millionths.ts'

/** Filters and sort keys of accounts. An index serves each key: sorting by points is sorting by rank in reverse. */
export const accountChoices = {
  conditions: {
    user: one('t.user_address', 'address', 'Only the account at this address.'),
    users: many('t.user_address', 'address', 'Only accounts at one of these addresses.'),
    rank: range('t.rank', 'int', 'Only accounts whose rank is in this range.'),
    points: range(doubleOf('t.points'), 'number', 'Only accounts whose points are in this range.'),
  },
  keys: {
    RANK: { column: 't.rank', field: 'rank', type: 'int', description: 'The rank, starting at 1.' },
    POINTS: {
      column: 't.rank',
      field: 'rank',
      type: 'int',
      inverse: true,
      description: 'Points, as ranked on the leaderboard: DESC is the order of the ranks.',
    },
    ACCOUNT: { column: 't.user_address', field: 'userAddress', type: 'text', description: "The account's address." },
  },
} satisfies Choices

/** Filters and sort keys of an account's days. */
export const accountDayChoices = {
  conditions: {
    date: range('t.distribution_date', 'date', 'Only distribution dates in this range.'),
    points: range(doubleOf('t.points'), 'number', 'Only dates whose points are in this range.'),
    positionCount: range('t.position_count', 'int', 'Only dates whose number of positions is in this range.'),
  },
  keys: {
    DATE: {
      column: 't.distribution_date',
      field: 'distributionDate',
      type: 'date',
      description: 'The distribution date.',
    },
    POINTS: {
      column: pointsOf('t.points'),
      field: 'points',
      type: 'numeric',
      description: 'Points on the date.',
    },
    POSITION_COUNT: {
      column: 't.position_count',
      field: 'positionCount',
      type: 'int',
      description: 'Number of positions on the date.',
    },
  },
} satisfies Choices

/** Filters and sort keys of users. */
export const userChoices = {
  conditions: {
    user: one('t.address', 'address', 'Only the user at this address.'),
    users: many('t.address', 'address', 'Only users at one of these addresses.'),
  },
  keys: { ADDRESS: { column: 't.address', field: 'address', type: 'text', description: "The user's address." } },
} satisfies Choices
