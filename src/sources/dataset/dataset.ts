import type { Readable } from 'node:stream'
import type { CopiedRules } from '../mirror/copied-rules.ts'

/** The files of a dataset in the import format, in the order in which they are loaded. */
export const datasetFiles = [
  'pools',
  'base-points-revisions',
  'multiplier-revisions',
  'multipliers',
  'markets',
  'thresholds',
  'vaults',
  'rates',
  'prices',
  'tokens',
  'users',
  'runs',
  'positions',
  'market-snapshots',
  'vault-snapshots',
  'market-liquidation-rewards',
  'vault-liquidation-rewards',
  'liquidations',
  'cash-flows',
  'ledger',
  'seasons',
] as const

export type DatasetFile = (typeof datasetFiles)[number]

/** A set of records in the import format, such as a directory or the sample. */
export interface Dataset {
  /** The name in messages, such as the path of the directory. */
  name: string
  /**
   * Opens a file as newline-delimited JSON, decompressed. Undefined if the dataset has no such
   * file. `label` is the name of the file in messages, `size` its length in bytes, if known.
   */
  open(file: DatasetFile): Promise<{ label: string; size?: number; stream: Readable } | undefined>
  /** The rules of the gateway that this is a copy of. */
  rules?: CopiedRules | undefined
}
