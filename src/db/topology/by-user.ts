import type { Batch } from '../connect/reader.ts'

/**
 * Makes a batch, whose keys are users or groups of them, read each key alone in a cluster: its rows
 * are on few servers.
 */
export const byUser =
  <Key, Value, Args extends unknown[]>(load: Batch<Key, Value, Args>): Batch<Key, Value, Args> =>
  (reader, keys, ...args) =>
    reader.topology.form({ one: load, cluster: alone(load) })(reader, keys, ...args)

const alone =
  <Key, Value, Args extends unknown[]>(load: Batch<Key, Value, Args>): Batch<Key, Value, Args> =>
  async (reader, keys, ...args) =>
    (await Promise.all(keys.map((key) => load(reader, [key], ...args)))).flat(1) as Value[]
