import { defineLookup, sqlFields } from 'pothos-sql'
import type { BasePoints } from '../../../domain/points/formula.ts'
import {
  AMOUNT_FIELDS,
  pointsPerDayColumns,
  pointsPerDayOfPosition,
  pointsPerDayOfUser,
} from '../../../domain/points/per-day.ts'
import type { Builder } from '../builder.ts'

/** Adds what positions earn under the rules that are in force now. */
export function addPointsPerDay(builder: Builder, basePoints: BasePoints): void {
  const ofPosition = defineLookup({
    columns: pointsPerDayColumns,
    types: ['text', ...AMOUNT_FIELDS.map(() => 'float8' as const)],
    always: true,
    at: (...key) => pointsPerDayOfPosition(basePoints)(key),
  })
  const ofUser = defineLookup({
    columns: pointsPerDayColumns,
    types: ['text'],
    always: true,
    at: (...key) => pointsPerDayOfUser(basePoints)(key),
  })
  builder.objectFields('Position', (t) => ({
    pointsPerDay: t.float({
      nullable: true,
      description: pointsPerDayColumns.pointsPerDay.description,
      ...sqlFields.lookupColumn(ofPosition, 'pointsPerDay', ['poolAddress', ...AMOUNT_FIELDS]),
    }),
  }))
  builder.objectFields('User', (t) => ({
    pointsPerDay: t.float({
      nullable: true,
      description:
        'The sum of `pointsPerDay` of `currentPositions`: the points that the user earns a day ' +
        'now. 0 without a position; null if one of them is null.',
      ...sqlFields.lookupColumn(ofUser, 'pointsPerDay', ['address'], { cost: { weight: 5 } }),
    }),
  }))
}
