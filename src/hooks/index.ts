export { addHooks } from './commands.ts'
export { mountHooks } from './mount.ts'
export { startHooks } from './sender.ts'
