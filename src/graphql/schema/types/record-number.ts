import { sqlField } from '../../fields/sql-field.ts'

const MAX_NUMBER = 2n ** 63n - 1n

/** Parses the number of a record. Undefined if the text cannot be one. */
export function readRecordNumber(text: string): bigint | undefined {
  const number = /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : undefined
  return number !== undefined && number <= MAX_NUMBER ? number : undefined
}

/** The options of the `recordId` field of records that have a number. */
export const recordNumber = {
  ...sqlField({ kind: 'column', column: 'id' }),
  resolve: ({ id }: { id: bigint }) => String(id),
}
