import type { InputRef } from '@pothos/core'
import { badArgument } from '../../../errors.ts'
import type { Builder } from '../builder.ts'

const MAX_NUMBER = 2n ** 63n - 1n

/** Returns the number if a record can have it. */
export const readRecordNumber = (number: bigint): bigint | null =>
  number > 0n && number <= MAX_NUMBER ? number : null

/** Parses the number of a record in a node's id. Null if the text cannot be one. */
export const parseRecordNumber = (text: string): bigint | null =>
  /^[1-9]\d{0,18}$/.test(text) ? readRecordNumber(BigInt(text)) : null

export const addRevokeInput = (builder: Builder): unknown =>
  builder.inputType('RevokeInput', {
    description: 'The input of `revokeMultiplier` and `revokeBasePoints`.',
    fields: (t) => ({
      recordId: t.field({
        type: 'BigInt',
        required: true,
        description: "The revision's number.",
      }),
    }),
  })

/** The input of mutations that revoke an announcement. */
export const REVOKE_INPUT = 'RevokeInput' as never as InputRef<{ recordId: bigint }>

/** Reads the number of a revision to revoke. @throws BAD_INPUT */
export function readRevoked({ recordId }: { recordId: bigint }): bigint {
  const id = readRecordNumber(recordId)
  if (id === null) throw badArgument('recordId', 'must be the number of a revision')
  return id
}
