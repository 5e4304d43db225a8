import type { ArgBuilder } from '@pothos/core'
import type { Types } from './builder.ts'

export const asOfArgument = (arg: ArgBuilder<Types>) =>
  arg({
    type: 'Date',
    description: 'Only positions on the last distribution date up to this one, if any.',
  })
