import type { Readable } from 'node:stream'

/** The files of a dataset in the import format, in the order in which they are loaded. */
export const datasetFiles = [
  'pools',
  'base-points-revisions',
  'multiplier-revisions',
  'multipliers',
  'markets',
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
  'cash-flows',
  'ledger',
  'seasons',
] as const

export type DatasetFile = (typeof datasetFiles)[number]

/**
 * The number of the revision that stands for the base points in the settings of a copied gateway.
 */
export const OF_SETTINGS = 0

/** The rules of a copied gateway that are not records. */
export interface CopiedRules {
  /** True if the dataset has the history of its multipliers. */
  multipliers: boolean
  /**
   * The base points of its settings, if they count for some date. Undefined if it does not show its
   * base points.
   */
  basePoints: { settings: { deposit: number; borrow: number } | null } | undefined
  /** Undefined if it does not show them. */
  seasons: CopiedSeason[] | undefined
  programName: string | null
}

/** A season with its dates as YYYY-MM-DD. */
export interface CopiedSeason {
  name: string
  startsAt: string
  endsAt: string | null
  digest: string | null
  closedAt: string | null
}

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
