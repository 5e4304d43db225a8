import { type Client, isRemote, shownUrl } from '../client.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { datasetRecords } from '../dataset/dataset-records.ts'
import { openDirectory } from '../dataset/directory.ts'
import { httpDataset } from '../dataset/http-dataset.ts'
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
  key?: string | undefined
  /** How a GraphQL server or a Postgres is read. Without it, the source has files. */
  mapping?: Mapping | undefined
  /** How long a Postgres may take to answer. */
  timeoutMs: number
}

/** A client whose answers come from the host that was asked. */
const onHost = (client: Client, bearer: string | undefined): Client => ({
  ...client,
  bytes: (source, url, request) => client.bytes(source, url, { ...request, bearer, sameHost: true }),
  open: (source, url, request) => client.open(source, url, { ...request, bearer, sameHost: true }),
})

/** Opens a source of analytics. Nothing is read yet. Undefined for a Postgres without a query. */
export function openAnalyticsSource(settings: AnalyticsSettings, client: Client): AnalyticsSource | undefined {
  const { source, key: bearer, mapping, timeoutMs } = settings
  if (isPostgres(source)) return mapping && 'query' in mapping ? postgresRecords(source, timeoutMs, mapping) : undefined
  if (isRemote(source) && mapping && 'names' in mapping) return graphRecords(client, source, bearer, mapping)
  const name = isRemote(source) ? shownUrl(source) : source
  return {
    name,
    async records(file, request) {
      const { signal } = request
      const called = analyticsName(file, name)
      const open = async () =>
        isRemote(source)
          ? httpDataset(client, source, { name: called, bearer, signal, sameHost: true })
          : openDirectory(source)
      const fetched = await datasetRecords({ called, name, file, kind: 'ANALYTICS', open, signal })
      if (fetched || !isRemote(source) || !(await speaksRest({ client, base: source, bearer, signal }))) return fetched
      return restRecords(onHost(client, bearer), source, called, file, request)
    },
  }
}

/** Opens another gateway as a source of rules. Nothing is read yet. Undefined for any other place. */
export function openRulesSource({ source, key: bearer }: Pick<AnalyticsSettings, 'source' | 'key'>, client: Client) {
  if (isPostgres(source) || !isRemote(source)) return undefined
  const bound = onHost(client, bearer)
  return {
    name: shownUrl(source),
    async read<T>(signal: AbortSignal | undefined, work: (dataset: Dataset, notes: string[]) => Promise<T>) {
      if (!(await speaksRest({ client, base: source, bearer, signal }))) return undefined
      return withMirror(
        { client: bound, base: source, onlyRules: true, signal },
        async (dataset, { notes }) => dataset.rules && work(dataset, notes),
      )
    },
  }
}
