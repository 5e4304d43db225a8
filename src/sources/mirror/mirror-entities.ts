import pMap from 'p-map'
import type { RecordFiles } from '../dataset/record-files.ts'
import type {
  EntityRef,
  GatewayGraph,
  GraphAsset,
  GraphMarket,
  GraphVault,
} from './gateway-graph.ts'
import { Contradiction, type RestPool, type RestServer } from './rest-api.ts'
import type { SeenEntities } from './seen-entities.ts'

type ListedPool = RestPool & { chainId: number | undefined }

/** The files whose records a gateway's graph lists, each before those that reference it. */
export const LISTED = ['pools', 'markets', 'vaults', 'tokens'] as const
export type ListedFile = (typeof LISTED)[number]

/** The pools of a gateway with their chains, which only its graph shows. */
export async function listedPools(
  graph: GatewayGraph,
  source: string,
  pools: RestPool[],
): Promise<ListedPool[]> {
  const chains = new Map<string, number>()
  for await (const page of graph.pools())
    for (const { address, chainId } of page) chains.set(address, chainId)
  for (const pool of pools)
    if (!chains.has(pool.id))
      throw new Contradiction(source, `its graph does not have the pool ${pool.id}`)
  return withChains(pools, chains)
}

/** The records of a file that a gateway's graph lists, page by page. It has all fields. */
export async function* listedRecords(
  graph: GatewayGraph,
  file: ListedFile,
  pools: () => Promise<ListedPool[]>,
): AsyncGenerator<object[]> {
  switch (file) {
    case 'pools':
      yield await pools()
      return
    case 'markets':
      for await (const page of graph.markets())
        yield page.map(({ pool, ...market }) => ({ ...entityRecord(market), poolId: pool.address }))
      return
    case 'vaults':
      for await (const page of graph.vaults()) yield page.map(entityRecord)
      return
    case 'tokens': {
      const named = await pools()
      for await (const page of graph.assets?.() ?? []) yield tokensAmong(page, named)
    }
  }
}

/** The limits of the markets that have some. */
export async function* limitRecords(graph: GatewayGraph): AsyncGenerator<object[]> {
  for await (const page of graph.markets())
    yield page
      .filter((market) => (market.maxLtv ?? market.liquidationThreshold ?? null) !== null)
      .map(({ chainId, address: id, maxLtv, liquidationThreshold }) => ({
        ...{ chainId, id, maxLtv, liquidationThreshold },
      }))
}

/** Copies pools, markets, vaults and tokens from a gateway's graph. */
export async function mirrorListedEntities(
  graph: GatewayGraph,
  entities: SeenEntities,
  files: RecordFiles,
  { source, pools }: { source: string; pools: RestPool[] },
): Promise<void> {
  const listed = await listedPools(graph, source, pools)
  for (const file of LISTED)
    for await (const records of listedRecords(graph, file, async () => listed)) {
      if (file === 'markets' || file === 'vaults')
        for (const record of records) see(entities, source, file, record as ListedEntity)
      await files.write(file, records)
    }
  entities.complete()
}

interface ListedEntity {
  chainId: number
  id: string
}

function see(
  entities: SeenEntities,
  source: string,
  file: 'markets' | 'vaults',
  { chainId, id: address }: ListedEntity,
): void {
  const ref: EntityRef = { kind: file === 'markets' ? 'market' : 'vault', chainId, address }
  if (entities.has(ref))
    throw new Contradiction(source, `its graph has the ${ref.kind} ${address} twice`)
  entities.see(ref)
}

/** Copies daily prices, rates and liquidations. */
export async function mirrorSeries(graph: GatewayGraph, files: RecordFiles): Promise<void> {
  for await (const prices of graph.prices?.(null) ?? []) await files.write('prices', prices)
  for await (const rates of graph.rates?.(null) ?? []) await files.write('rates', rates)
  for await (const events of graph.liquidations?.(null) ?? [])
    await files.write('liquidations', events)
}

// The records of assets with a logo or a group of prices, or with another name than that of their
// first pool, or their symbol without a pool.
function tokensAmong(assets: GraphAsset[], pools: ListedPool[]) {
  const names = new Map(
    pools
      .flatMap((pool) => [
        [`${pool.chainId} ${pool.asset_1_address}`, pool.asset_1_name] as const,
        [`${pool.chainId} ${pool.asset_2_address}`, pool.asset_2_name] as const,
      ])
      // A pool gives way to one before it.
      .reverse(),
  )
  return assets.flatMap(({ chainId, address, symbol, name, logoUri, movesWith }) => {
    const isPlain = name === (names.get(`${chainId} ${address}`) ?? symbol)
    if (isPlain && logoUri === null && movesWith === null) return []
    return [{ chainId, address, name, logoURI: logoUri, movesWith }]
  })
}

const entityRecord = ({
  address: id,
  asset,
  ...entity
}: Omit<GraphMarket, 'pool'> | GraphVault) => ({
  id,
  assetAddress: asset.address,
  assetSymbol: asset.symbol,
  assetDecimals: asset.decimals,
  ...entity,
})

const withChains = (pools: RestPool[], chains: ReadonlyMap<string, number>) =>
  pools.map((pool) => ({ ...pool, chainId: chains.get(pool.id) }))

interface Probing {
  indexer: RestServer
  pools: RestPool[]
  /** The user whose rewards are requested to test whether a market exists. */
  user: string
  concurrency: number
  signal: AbortSignal
}

/**
 * Finds entities that no user's record referenced: the chains of the pools' sides, and entities at
 * the same addresses on other chains. The rewards endpoints answer 404 for an entity that does not
 * exist.
 */
export async function findEntities(
  entities: SeenEntities,
  { indexer, pools, user, ...options }: Probing,
): Promise<void> {
  const chains = [...entities.chains].sort((a, b) => a - b)
  const units = pools.flatMap((pool) => [pool.unit_1_id, pool.unit_2_id])
  const addresses = (kind: EntityRef['kind'], more: string[] = []) => {
    const seen = entities.all(kind).map(({ address }) => address)
    return [...new Set([...more, ...seen])].map((address) => ({ kind, address }))
  }
  await pMap(
    [...addresses('market', units), ...addresses('vault')],
    async ({ kind, address }) => {
      const place = `/v1/users/${user}/${kind}-liquidation-rewards`
      const path = `${place}?${kind}=${address}&page=1&page_size=1`
      let exists = false
      for (const chainId of chains) {
        const ref = { kind, chainId, address }
        if (!entities.has(ref) && !(await indexer.has(`${path}&chain_id=${chainId}`))) continue
        entities.see(ref)
        exists = true
      }
      if (!exists && (await indexer.has(path)))
        throw new Contradiction(
          indexer.name,
          `it has the market ${address} on none of the chains ${chains.join(', ')}: name its chain`,
        )
    },
    options,
  )
}

/**
 * Reconstructs pools, markets and vaults of a server that shows neither chains nor tokens: chains
 * from the pools' markets, tokens from the pools' sides. Unknown values are empty (a vault's name
 * and token) or 18 (decimals).
 * @returns the number of markets that are not a side of any pool, and were assigned to the first
 * pool
 */
export async function writeEntities(
  entities: SeenEntities,
  files: RecordFiles,
  pools: RestPool[],
): Promise<number> {
  const chains = chainsOfPools(entities, pools)
  await files.write('pools', withChains(pools, chains))
  let without = 0
  const markets = entities
    .all('market')
    .map(({ address: id, chainId, depositRate, borrowRate }) => {
      const ofMarket = pools.filter((pool) => pool.unit_1_id === id || pool.unit_2_id === id)
      const pool = ofMarket.find((one) => chains.get(one.id) === chainId) ?? ofMarket[0]
      if (!pool) without++
      const asset = pool ? assetOfSide(pool, id) : UNKNOWN_ASSET
      return { chainId, id, poolId: (pool ?? pools[0])?.id, ...asset, depositRate, borrowRate }
    })
  await files.write('markets', markets)
  const vaults = entities.all('vault').map(({ address: id, chainId, depositRate }) => ({
    chainId,
    id,
    name: '',
    ...UNKNOWN_ASSET,
    depositRate,
  }))
  await files.write('vaults', vaults)
  return without
}

const UNKNOWN_ASSET = {
  assetAddress: `0x${'0'.repeat(40)}`,
  assetSymbol: '',
  assetDecimals: 18,
}

function assetOfSide(pool: RestPool, market: string) {
  const side = pool.unit_1_id === market ? '1' : '2'
  return {
    ...UNKNOWN_ASSET,
    assetAddress: pool[`asset_${side}_address`],
    assetSymbol: pool[`asset_${side}_symbol`],
  }
}

// A pool's chain is that of its markets, else that of a pool that shares a token.
function chainsOfPools(entities: SeenEntities, pools: RestPool[]): Map<string, number> {
  const chains = new Map<string, number>()
  for (const pool of pools) {
    const [first = [], second = []] = [pool.unit_1_id, pool.unit_2_id].map((unit) =>
      entities.all('market', unit).map((market) => market.chainId),
    )
    const chain = first.find((one) => second.includes(one)) ?? first[0] ?? second[0]
    if (chain !== undefined) chains.set(pool.id, chain)
  }
  const tokens = (pool: RestPool) => [pool.asset_1_address, pool.asset_2_address]
  for (const pool of pools) {
    if (chains.has(pool.id)) continue
    const related = pools.find(
      (other) => chains.has(other.id) && tokens(other).some((t) => tokens(pool).includes(t)),
    )
    chains.set(pool.id, (related && chains.get(related.id)) ?? Math.min(...entities.chains))
  }
  return chains
}
