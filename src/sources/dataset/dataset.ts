import type { Readable } from 'node:stream'

/** The files of a dataset in the import format, in the order in which they are loaded. */
export const datasetFiles = [
  'pools',
  'multipliers',
  'markets',
  'vaults',
  'positions',
  'market-snapshots',
  'vault-snapshots',
  'market-liquidation-rewards',
  'vault-liquidation-rewards',
  'cash-flows',
] as const

export type DatasetFile = (typeof datasetFiles)[number]

/** Where records come from: a directory, the sample, and whatever else can speak the import format. */
export interface Dataset {
  /** What messages call it, such as the directory's path. */
  name: string
  /**
   * One file's bytes: newline-delimited JSON, decompressed. Undefined where the dataset has no such file.
   * `label` is the name that messages give the file; `size` is its length in bytes where that is known.
   */
  open(file: DatasetFile): Promise<{ label: string; size?: number; stream: Readable } | undefined>
}
