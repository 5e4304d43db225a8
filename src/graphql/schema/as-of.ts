import type { ArgBuilder } from '@pothos/core'
import type { Types } from './builder.ts'

export const asOfArgument = (arg: ArgBuilder<Types>) =>
  arg({
    type: 'DateTime',
    description: 'Only positions on the last date at or before this time, if any.',
  })
