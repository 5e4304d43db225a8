import type { Hash } from 'node:crypto'
import { pMapIterable } from 'p-map'
import { GatewayError } from '../../errors.ts'
import type {
  PositionsByCursorQueryVariables,
  PositionsByOffsetQueryVariables,
} from '../../generated/source-operations/graphql.ts'
import { shownUrl } from '../../secrets.ts'
import { type Client, sourceFailed } from '../client.ts'
import { received } from '../fetched.ts'
import type { ChainToken, PriceSource } from '../prices.ts'
import { defaultNames, inNamesOf, type Names } from './graph-names.ts'
import { positionsByCursor, positionsByOffset } from './graph-operations.ts'
import { type PositionsPage, pageReader } from './graph-page.ts'
import { rowsReader } from './graph-rows.ts'
import { type PositionsSource, positionsName, type SourcePool } from './positions-source.ts'

export interface GraphPositionsSettings {
  url: string
  /** The name in messages and records. */
  name?: string
  bearer?: string | undefined
  /** The paging of the source: `first` and `after`, or `limit` and `offset`. */
  paging?: 'cursor' | 'offset'
  /** The requested page size. The source may return fewer positions. */
  pageSize?: number
  names?: Names
}

const CONCURRENT = 4
const AHEAD = 4

/**
 * A GraphQL source of positions with the schema of `graph-positions.graphql`, combined with a
 * source of prices. All answers are validated. While a page is processed, the next ones are
 * fetched. Memory only grows by the 32 bytes per position that detect duplicates.
 */
export function graphPositions(
  client: Client,
  prices: PriceSource,
  {
    url,
    name = shownUrl(url),
    bearer,
    paging = 'cursor',
    pageSize = 1000,
    names = defaultNames,
  }: GraphPositionsSettings,
): PositionsSource {
  const called = positionsName(name)
  const query = inNamesOf(names, paging === 'cursor' ? positionsByCursor : positionsByOffset)
  const readPage = pageReader(called, names, paging)

  return {
    name,
    async positions(date, { pools, signal, onUnpriced }) {
      if (pools.size === 0)
        throw new GatewayError(
          'UNAVAILABLE',
          'The store has no pools to fetch positions of. Import them, then try again.',
        )
      const time = Date.parse(`${date}T00:00:00Z`) / 1000
      const stop = new AbortController()
      const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal

      async function fetchPage(number: number, page: PageArguments): Promise<PositionsPage> {
        const variables = variablesOf({ pools: [...pools.keys()], time, ...page }, names)
        const request = { json: { query, variables }, bearer, signal: stopped }
        return readPage(number, await client.bytes(called, url, request))
      }

      async function* byCursor(first: PositionsPage): AsyncGenerator<PositionsPage> {
        const cursors = new Set<string>()
        for (let page = first; ; ) {
          yield page
          const { next, number } = page
          if (next === undefined) return
          if (cursors.has(next))
            throw sourceFailed(called, `page ${number} leads back to a page before it`)
          cursors.add(next)
          page = await fetchPage(number + 1, { first: pageSize, after: next })
        }
      }

      async function* byOffset(first: PositionsPage): AsyncGenerator<PositionsPage> {
        yield first
        const fetchOne = ({ number, ...page }: { number: number; limit: number; offset: number }) =>
          fetchPage(number, page)
        yield* pMapIterable(laterPages(first), fetchOne, { concurrency: CONCURRENT })
      }

      async function* read(
        first: PositionsPage,
        readRows: ReturnType<typeof rowsReader>,
        hash: Hash,
      ) {
        let count = 0
        const pages =
          paging === 'cursor'
            ? pMapIterable(byCursor(first), (page) => page, { concurrency: 1, backpressure: AHEAD })
            : byOffset(first)
        try {
          for await (const page of pages) {
            const reason = unlike(page, first, count)
            if (reason) throw sourceFailed(called, reason)
            const records = readRows(page)
            hash.update(page.body)
            yield records
            count += records.length
          }
          if (count < first.totalCount)
            throw sourceFailed(
              called,
              `it gave ${count} positions, but its totalCount is ${first.totalCount}`,
            )
        } finally {
          stop.abort()
        }
      }

      try {
        const [first, priced] = await Promise.all([
          fetchPage(
            1,
            paging === 'cursor' ? { first: pageSize, after: null } : { limit: pageSize, offset: 0 },
          ),
          prices.prices(tokensIn(pools), time, stopped),
        ])
        if (first.totalCount === 0 && first.nodes.length === 0)
          throw sourceFailed(called, `it has no positions of ${date}`)
        const readRows = rowsReader({
          called,
          names,
          pools,
          prices: priced,
          onUnpriced,
          date,
          totalCount: first.totalCount,
        })
        const positions = received(
          'positions',
          {
            kind: 'POSITIONS',
            name,
            block: first.block,
            time: names.time === '' ? null : new Date(time * 1000).toISOString(),
          },
          (hash) => read(first, readRows, hash),
        )
        const receipts = () => positions.receipts().flatMap((receipt) => [receipt, priced.receipt])
        return { ...positions, pricesName: prices.name, receipts }
      } catch (error) {
        stop.abort()
        throw error
      }
    },
  }
}

type PageVariables = PositionsByCursorQueryVariables | PositionsByOffsetQueryVariables
type PageArguments =
  | Pick<PositionsByCursorQueryVariables, 'first' | 'after'>
  | Pick<PositionsByOffsetQueryVariables, 'limit' | 'offset'>

// Removes variables that the translated operation does not use.
const variablesOf = (variables: PageVariables, names: Names) =>
  Object.fromEntries(
    Object.entries(variables).filter(([name]) => names[name as keyof PageVariables] !== ''),
  )

// The offsets of the pages after the first. The first page shows the actual page size of the
// source.
function* laterPages({ nodes, totalCount }: PositionsPage) {
  const limit = nodes.length
  for (let number = 2, offset = limit; limit > 0 && offset < totalCount; number++, offset += limit)
    yield { number, offset, limit }
}

function unlike(
  { number, totalCount, block, nodes, next }: PositionsPage,
  first: PositionsPage,
  count: number,
): string | undefined {
  if (totalCount !== first.totalCount)
    return `totalCount changed from ${first.totalCount} to ${totalCount} on page ${number}`
  if (block !== first.block)
    return `the block changed from ${first.block} to ${block} on page ${number}`
  if (count + nodes.length > totalCount)
    return (
      `it gave more positions than its totalCount of ${totalCount}: ${count + nodes.length} by ` +
      `page ${number}`
    )
  if (nodes.length === 0 && (next !== undefined || count < totalCount))
    return `page ${number} is empty, although ${count} positions of ${totalCount} were given`
  return undefined
}

function tokensIn(pools: ReadonlyMap<string, SourcePool>): ChainToken[] {
  return [...pools.values()].flatMap(({ chainId, a, b }) =>
    [a, b].map((token) => ({ chainId, ...token })),
  )
}
