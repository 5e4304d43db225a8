import { part } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'

interface LegacyRow {
  recordId: string | null
  timestamp: bigint | null
  claimedTimestamp: bigint | null
  createdTimestamp: bigint | null
  interestLastUpdated: bigint | null
}

/** No value: it is of other records. */
const NONE = {
  recordId: null,
  timestamp: null,
  claimedTimestamp: null,
  createdTimestamp: null,
  interestLastUpdated: null,
} satisfies LegacyRow

/** Adds the type of data that only the REST documents have. */
export function addLegacy(builder: Builder) {
  const Legacy = builder.objectRef<LegacyRow>('Legacy').implement({
    description: 'For the REST API. Values of other records are null.',
    fields: (t) => ({
      recordId: t.exposeString('recordId', {
        nullable: true,
        description: 'The id of a position or multiplier. Null for other records.',
      }),
      timestamp: t.expose('timestamp', {
        type: 'BigInt',
        nullable: true,
        description: '`time` in Unix seconds, of any size. Null without it.',
      }),
      claimedTimestamp: t.expose('claimedTimestamp', {
        type: 'BigInt',
        nullable: true,
        description: '`claimedAt` in Unix seconds, of any size. Null without it.',
      }),
      createdTimestamp: t.expose('createdTimestamp', {
        type: 'SafeInt',
        nullable: true,
        description: '`createdAt` of a pool in Unix seconds. Null for other records.',
      }),
      interestLastUpdated: t.expose('interestLastUpdated', {
        type: 'SafeInt',
        nullable: true,
        description: "A pool's number, whose meaning is not confirmed. Null for others.",
      }),
    }),
  })
  /** The options of the field `legacy`. Its values cost nothing. */
  const of = (columns: Partial<Record<keyof LegacyRow, string>>) => ({
    type: Legacy,
    description: 'Data that only the REST API has.',
    ...part({ ...NONE, ...columns }, { cost: { weight: 0 } }),
  })
  return {
    ofRecord: of({ recordId: 'id' }),
    ofMoment: of({ timestamp: 'timestamp' }),
    ofReward: of({ timestamp: 'timestamp', claimedTimestamp: 'claimedTimestamp' }),
    ofPool: of({ createdTimestamp: 'createdTimestamp', interestLastUpdated: 'interestLastUpdated' }),
  }
}

export type Legacy = ReturnType<typeof addLegacy>
