export { addKeys } from './commands.ts'
export { type Budget, openCounters } from './counters.ts'
export { type CallerKey, Keys } from './keys.ts'
export { sentKey } from './secret.ts'
