import { shownUrl } from '../../secrets.ts'
import { type Client, isRemote } from '../client.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { datasetRecords } from '../dataset/dataset-records.ts'
import { openDirectory } from '../dataset/directory.ts'
import { httpDataset } from '../dataset/http-dataset.ts'
import { Fetch, fetchWithin } from '../fetch.ts'
import { withMirror } from '../mirror/rest-mirror.ts'
import { speaksRest } from '../positions/open-positions-source.ts'
import { type AnalyticsSource, analyticsName } from './analytics-source.ts'
import { graphRecords } from './graph-records.ts'
import type { Mapping } from './mapping.ts'
import { isPostgres, postgresRecords } from './postgres-records.ts'
import { restRecords } from './rest-records.ts'

export interface AnalyticsSettings {
  /** A directory, an http(s) URL, or a URL of a Postgres. */
  source: string
  /** The operator's name for the source. */
  name?: string | undefined
  key?: string | undefined
  /** How a GraphQL server or a Postgres is read. Without it, the source has files. */
  mapping?: Mapping | undefined
  /** How long a Postgres may take to answer. */
  timeoutMs: number
}

/** Opens a source of analytics. Nothing is read yet. Undefined for a Postgres without a query. */
export function openAnalyticsSource(
  settings: AnalyticsSettings,
  client: Client,
): AnalyticsSource | undefined {
  const { source, mapping } = settings
  if (isPostgres(source) && !(mapping && 'query' in mapping)) return undefined
  const name = isRemote(source) || isPostgres(source) ? shownUrl(source, settings.name) : source
  return {
    name,
    records(file, request) {
      const fetch = new Fetch(analyticsName(file, name), client, request.signal)
      const { signal } = fetch
      return fetchWithin(fetch, () =>
        openRecords(settings, name, client.within(fetch, settings.key), fetch).records(file, {
          ...request,
          signal,
        }),
      )
    },
  }
}

function openRecords(
  { source, mapping, timeoutMs }: AnalyticsSettings,
  name: string,
  client: Client,
  fetch: Fetch,
): AnalyticsSource {
  if (isPostgres(source) && mapping && 'query' in mapping)
    return postgresRecords({ url: source, name, timeoutMs }, mapping)
  if (isRemote(source) && mapping && 'names' in mapping)
    return graphRecords(client, { url: source, name }, mapping)
  return {
    name,
    async records(file, request) {
      const { signal } = request
      const called = analyticsName(file, name)
      const open = async () =>
        isRemote(source)
          ? httpDataset(client, source, { name: called, fetch })
          : openDirectory(source)
      const fetched = await datasetRecords({ called, name, file, kind: 'ANALYTICS', open, signal })
      if (fetched || !isRemote(source)) return fetched
      const isRest = await speaksRest({ client, base: source, name: called, signal })
      return isRest ? restRecords(client, source, name, file, request) : undefined
    },
  }
}

type RulesSettings = Pick<AnalyticsSettings, 'source' | 'name' | 'key'>

/**
 * Opens another gateway as a source of rules. Nothing is read yet. Undefined for any other place.
 */
export function openRulesSource({ source, name: given, key }: RulesSettings, client: Client) {
  if (isPostgres(source) || !isRemote(source)) return undefined
  const name = shownUrl(source, given)
  return {
    name,
    async read<T>(
      caller: AbortSignal | undefined,
      work: (dataset: Dataset, notes: string[]) => Promise<T>,
    ) {
      const fetch = new Fetch(name, client, caller)
      const { signal } = fetch
      const bound = client.within(fetch, key)
      try {
        if (!(await speaksRest({ client: bound, base: source, name, signal }))) return undefined
        return await withMirror(
          { client: bound, base: source, onlyRules: true, signal },
          async (dataset, { notes }) => dataset.rules && work(dataset, notes),
        )
      } finally {
        fetch.close()
      }
    },
  }
}
