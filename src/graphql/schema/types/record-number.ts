import type { InputRef } from '@pothos/core'
import { sqlFields } from 'pothos-sql'
import { badArgument } from '../../../errors.ts'
import type { Builder } from '../builder.ts'

const MAX_NUMBER = 2n ** 63n - 1n

/** Parses the number of a record. Undefined if the text cannot be one. */
export function readRecordNumber(text: string): bigint | undefined {
  const number = /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : undefined
  return number !== undefined && number <= MAX_NUMBER ? number : undefined
}

/** The options of the `recordId` field of records that have a number. */
export const recordNumber = {
  ...sqlFields.declare({ kind: 'column', column: 'id' }),
  resolve: ({ id }: { id: bigint }) => String(id),
}

export const addRevokeInput = (builder: Builder): unknown =>
  builder.inputType('RevokeInput', {
    description: 'The input of `revokeMultiplier` and `revokeBasePoints`.',
    fields: (t) => ({
      recordId: t.string({ required: true, description: "The revision's number, as a string." }),
    }),
  })

/** The input of mutations that revoke an announcement. */
export const REVOKE_INPUT = 'RevokeInput' as never as InputRef<{ recordId: string }>

/** Reads the number of a revision to revoke. @throws BAD_INPUT */
export function readRevoked({ recordId }: { recordId: string }): bigint {
  const id = readRecordNumber(recordId)
  if (id === undefined)
    throw badArgument('recordId', 'must be the number of a revision, as a string')
  return id
}
