/** Parts that resolvers share: the batches of an operation, and turns at the event loop. */
export { Batches } from '../batches.ts'
export { resolveInTurns, Turns } from '../turns.ts'
