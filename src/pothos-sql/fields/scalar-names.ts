import type { ValueType } from '../lists/value-type.ts'

export const SCALARS: Record<ValueType, string> = {
  address: 'Address',
  text: 'String',
  int: 'Int',
  integer: 'SafeInt',
  bigint: 'BigInt',
  timestamp: 'BigInt',
  amount: 'BigInt',
  float: 'Float',
  decimal: 'Float',
  date: 'Date',
  moment: 'DateTime',
  boolean: 'Boolean',
}
