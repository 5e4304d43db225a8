import type { Batch } from './reader.ts'

/**
 * Makes a batch, whose keys are users or groups of them, read each key alone where rows are spread
 * over several servers: those of one key are on few of them.
 */
export const oneKeyAtATime =
  <Key, Value, Args extends unknown[]>(load: Batch<Key, Value, Args>): Batch<Key, Value, Args> =>
  (reader, keys, ...args) =>
    reader.dialect.choose({ usual: load, ifSpread: alone(load) })(reader, keys, ...args)

const alone =
  <Key, Value, Args extends unknown[]>(load: Batch<Key, Value, Args>): Batch<Key, Value, Args> =>
  async (reader, keys, ...args) =>
    (await Promise.all(keys.map((key) => load(reader, [key], ...args)))).flat(1) as Value[]
