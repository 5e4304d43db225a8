export { addKeys } from './commands.ts'
export { type Budget, openCounters, type Spent } from './counters.ts'
export { type CallerKey, Keys } from './keys.ts'
export { sentKey } from './secret.ts'
