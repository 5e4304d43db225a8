import type { Dataset } from '../../sources/index.ts'
import { checkDataset, type ImportDeps, importDataset } from '../dataset/import.ts'

/** Another gateway. This store may be a copy of it. */
export interface RulesSource {
  name: string
  /**
   * Passes its pools, markets, vaults, tokens and rules to `work`, with sentences about what it
   * does not show. Undefined if the source is not a gateway with a graph.
   */
  read<T>(
    signal: AbortSignal | undefined,
    work: (dataset: Dataset, notes: string[]) => Promise<T>,
  ): Promise<T | undefined>
}

interface RulesDeps extends ImportDeps {
  analytics: { rules?: RulesSource | undefined }
  signal?: AbortSignal | undefined
}

export interface RulesUpdate {
  source: string
  /**
   * False if the store has other rules, or none: it is not a copy of the source, and nothing has
   * changed.
   */
  follows: boolean
  written: number
  notes: string[]
}

/**
 * Brings the pools, markets, vaults, tokens and rules of a copy up to date with the gateway that it
 * is a copy of. A store without rules, or with other ones, stays as it is.
 * @returns undefined if the source of analytics is not a gateway
 * @throws SOURCE_FAILED, and the errors of an import
 */
export async function updateRules(
  deps: RulesDeps,
  requestedBy: string,
  { dryRun = false } = {},
): Promise<RulesUpdate | undefined> {
  const source = deps.analytics.rules
  return source?.read(deps.signal, async (dataset, shown) => {
    const options = { requestedBy, ...(deps.signal && { signal: deps.signal }) }
    const { files, leftOut, warnings } = await checkDataset(deps, dataset, options)
    const written = Object.values(files).reduce((sum, file) => sum + file.written, 0)
    const follows = leftOut.length === 0 && (await hasRules(deps))
    const notes = [...shown, ...warnings]
    if (!follows || dryRun)
      return { source: source.name, follows, written: follows ? written : 0, notes: shown }
    const done = await importDataset(deps, dataset, options)
    return {
      source: source.name,
      follows,
      written,
      notes: [...new Set([...notes, ...done.warnings])],
    }
  })
}

async function hasRules({ pool }: RulesDeps): Promise<boolean> {
  const { rows } = await pool.query<{ has: boolean }>(
    `SELECT EXISTS (SELECT FROM multiplier_revision)
       OR EXISTS (SELECT FROM base_points_revision) AS has`,
  )
  return rows[0]?.has === true
}
