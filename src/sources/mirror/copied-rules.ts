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
