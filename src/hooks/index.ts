export { addHooks } from './commands.ts'
export { startHooks } from './sender.ts'
