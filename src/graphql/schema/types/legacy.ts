import { sqlFields } from 'pothos-sql'
import type { Builder } from '../builder.ts'

// Values of a row that only the REST documents have cost nothing.
const legacyOf = (columns: Record<string, string | null>) =>
  sqlFields.embedded(columns, { cost: { weight: 0 } })

export function addLegacy(builder: Builder): void {
  builder.objectRef<{ recordId: string }>('LegacyRecord').implement({
    description: 'For the REST API: how its records are named.',
    fields: (t) => ({
      recordId: t.exposeString('recordId', { description: "The record's id in the REST API." }),
    }),
  })
  builder
    .objectRef<{ timestamp: bigint; claimedTimestamp: bigint | null }>('LegacyTimes')
    .implement({
      description: 'For the REST API: times in Unix seconds, of any size.',
      fields: (t) => ({
        timestamp: t.expose('timestamp', { type: 'BigInt', description: 'The seconds of `time`.' }),
        claimedTimestamp: t.expose('claimedTimestamp', {
          type: 'BigInt',
          nullable: true,
          description: 'The seconds of `claimedAt`. Null without it.',
        }),
      }),
    })
  builder.objectRef<{ hasIncompletePrices: boolean }>('LegacyEarnings').implement({
    description: 'For the REST API: what earnings say of missing prices.',
    fields: (t) => ({
      hasIncompletePrices: t.exposeBoolean('hasIncompletePrices', {
        description: 'True if any USD are missing, also those of an amount of 0.',
      }),
    }),
  })
  builder
    .objectRef<{
      createdTimestamp: bigint
      interestLastUpdated: bigint
      assetAName: string
      assetBName: string
    }>('LegacyPool')
    .implement({
      description: 'For the REST API: values of a pool, as its record has them.',
      fields: (t) => ({
        createdTimestamp: t.expose('createdTimestamp', {
          type: 'SafeInt',
          description: 'The seconds of `createdAt`.',
        }),
        interestLastUpdated: t.expose('interestLastUpdated', {
          type: 'SafeInt',
          description: "The REST API's number of this name. Its meaning is not confirmed.",
        }),
        assetAName: t.exposeString('assetAName', {
          description: "The name of side A's token in the pool's record.",
        }),
        assetBName: t.exposeString('assetBName', {
          description: "The name of side B's token in the pool's record.",
        }),
      }),
    })
}

const description = 'For the REST API: data that only it has.'

/** The options of the address in a record's REST answers. Others read it of `user`. */
export const legacyAddress = {
  type: 'Address',
  description: "For the REST API: the user's address.",
} as const
/** The options of the `legacy` field of positions and multipliers. */
export const legacyRecord = {
  type: 'LegacyRecord',
  description,
  ...legacyOf({ recordId: 'id' }),
} as const
/** Those of earnings, in total and in a market or vault. */
export const legacyEarnings = {
  type: 'LegacyEarnings',
  description,
  ...legacyOf({ hasIncompletePrices: 'lacksUsd' }),
} as const
/** Those of snapshots and activity, and of rewards. */
export const legacyTime = {
  type: 'LegacyTimes',
  description,
  ...legacyOf({ timestamp: 'timestamp', claimedTimestamp: null }),
} as const
export const legacyTimes = {
  type: 'LegacyTimes',
  description,
  ...legacyOf({ timestamp: 'timestamp', claimedTimestamp: 'claimedTimestamp' }),
} as const
export const legacyPool = {
  type: 'LegacyPool',
  description,
  ...legacyOf({
    createdTimestamp: 'createdTimestamp',
    interestLastUpdated: 'interestLastUpdated',
    assetAName: 'asset1Name',
    assetBName: 'asset2Name',
  }),
} as const
