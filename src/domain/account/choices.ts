import type { Choices } from '../../db/lists/choices.ts'
import { many, one, range } from '../../db/lists/filter.ts'
import { doubleOf, pointsOf } from '../points/millionths.ts'

/** What accounts can be filtered and sorted by. All keys are served by indexes: points are the ranks' other way round. */
export const accountChoices = {
  conditions: {
    user: one('t.user_address', 'address', 'The one at this address.'),
    users: many('t.user_address', 'address', 'Those at any of these addresses.'),
    rank: range('t.rank', 'int', 'Those on these places.'),
    points: range(doubleOf('t.points'), 'number', 'Those with so many points.'),
  },
  keys: {
    RANK: { column: 't.rank', field: 'rank', type: 'int', description: 'The place, from 1.' },
    POINTS: {
      column: 't.rank',
      field: 'rank',
      type: 'int',
      inverse: true,
      description: 'Points, as the leaderboard ranks them: DESC is the order of the ranks.',
    },
    ACCOUNT: { column: 't.user_address', field: 'userAddress', type: 'text', description: "The account's address." },
  },
} satisfies Choices

/** What an account's days can be filtered and sorted by. */
export const accountDayChoices = {
  conditions: {
    date: range('t.distribution_date', 'date', 'Those of these distribution dates.'),
    points: range(doubleOf('t.points'), 'number', 'Those with so many points.'),
    positionCount: range('t.position_count', 'int', 'Those with so many positions.'),
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
      description: 'Positions on the date.',
    },
  },
} satisfies Choices

/** What users can be filtered and sorted by. */
export const userChoices = {
  conditions: {
    user: one('t.address', 'address', 'The one at this address.'),
    users: many('t.address', 'address', 'Those at any of these addresses.'),
  },
  keys: { ADDRESS: { column: 't.address', field: 'address', type: 'text', description: "The user's address." } },
} satisfies Choices
