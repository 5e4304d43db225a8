import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { RecordFiles } from '../dataset/record-files.ts'
import {
  type EntityRef,
  entityKey,
  type GatewayGraph,
  type GraphCashFlow,
} from './gateway-graph.ts'
import {
  Contradiction,
  earningsItem,
  indexerPages,
  marketReward,
  marketSnapshot,
  netAprItem,
  type RestServer,
  vaultReward,
  vaultSnapshot,
} from './rest-api.ts'
import type { SeenEntities } from './seen-entities.ts'

export interface UserWalk {
  indexer: RestServer
  files: RecordFiles
  entities: SeenEntities
  /** The pages of a user's cash flows. Undefined if the server does not show them. */
  cashFlows: GatewayGraph['cashFlows']
  /** A time later than any snapshot, in Unix seconds. */
  endOfTime: string
  /** True if rates of markets and vaults must be read from users' net APR. */
  needsRates: boolean
  /** Entities where the server's value for a user differs from the user's newest snapshots. */
  onOtherValue(): void
}

interface Holding {
  ref: EntityRef
  firstTimestamp: bigint
  newestTimestamp: bigint
  valueUsd: number
  incomplete: boolean
}

/**
 * Copies a user's snapshots and cash flows. Without a graph, cash flows are derived that yield the
 * user's earnings.
 * @returns all markets and vaults that the user has or had a position in
 */
export async function mirrorUser(walk: UserWalk, user: string): Promise<EntityRef[]> {
  const holdings = new Map<string, Holding>()
  await mirrorSnapshots(walk, user, 'market', marketSnapshot, holdings)
  await mirrorSnapshots(walk, user, 'vault', vaultSnapshot, holdings)
  if (walk.needsRates) await readRates(walk, user)
  const earnings = await readEarnings(walk, user, holdings)
  if (walk.cashFlows) await copyCashFlows(walk, walk.cashFlows(user), user, earnings)
  else await deriveCashFlows(walk, user, earnings, holdings)
  const refs = new Map(earnings.map((row) => [entityKey(refOf(row)), refOf(row)]))
  for (const [key, { ref }] of holdings) refs.set(key, ref)
  return [...refs.values()]
}

type SnapshotRow = z.output<typeof marketSnapshot> | z.output<typeof vaultSnapshot>

async function mirrorSnapshots(
  { indexer, files, entities, endOfTime }: UserWalk,
  user: string,
  kind: EntityRef['kind'],
  schema: z.ZodType<SnapshotRow>,
  holdings: Map<string, Holding>,
): Promise<void> {
  const window = `from_timestamp=0&to_timestamp=${endOfTime}`
  const path = `/v1/users/${user}/${kind}-position-snapshots?${window}`
  const seen = new Set<string>()
  for await (const { rows } of indexerPages(indexer, path, schema)) {
    for (const row of rows) {
      assertOwn(indexer, user, row.accountId, `${kind} snapshot`)
      const address = 'marketId' in row ? row.marketId : row.vaultId
      const ref = { kind, chainId: row.chainId, address }
      const key = `${entityKey(ref)} ${row.timestamp} ${row.positionId}`
      if (seen.has(key))
        throw new Contradiction(
          indexer.name,
          `the snapshot of ${user} in the ${kind} ${address} at ${row.timestamp} (position ` +
            `${row.positionId}) came twice`,
        )
      seen.add(key)
      entities.see(ref)
      addUp(holdings, ref, row)
    }
    await files.write(`${kind}-snapshots`, rows)
  }
}

function addUp(holdings: Map<string, Holding>, ref: EntityRef, row: SnapshotRow): void {
  const timestamp = BigInt(row.timestamp)
  let holding = holdings.get(entityKey(ref))
  if (!holding) {
    holding = {
      ref,
      firstTimestamp: timestamp,
      newestTimestamp: -1n,
      valueUsd: 0,
      incomplete: false,
    }
    holdings.set(entityKey(ref), holding)
  }
  if (timestamp < holding.firstTimestamp) holding.firstTimestamp = timestamp
  if (timestamp < holding.newestTimestamp) return
  if (timestamp > holding.newestTimestamp)
    Object.assign(holding, { newestTimestamp: timestamp, valueUsd: 0, incomplete: false })
  const parts =
    'marketId' in row ? [row.collateralUsd, row.protectedUsd, row.debtUsd] : [row.assetsUsd]
  const [earning, protectedUsd, debt] = parts.map((usd) => usd ?? 0)
  holding.valueUsd += (earning ?? 0) + (protectedUsd ?? 0) - (debt ?? 0)
  holding.incomplete ||= parts.includes(null)
}

// Reads the rates of a user's markets and vaults, which only the user's net APR shows.
async function readRates({ indexer, entities }: UserWalk, user: string): Promise<void> {
  for await (const { rows } of indexerPages(indexer, `/v1/users/${user}/net-apr`, netAprItem, {
    inBreakdown: true,
  }))
    for (const {
      chain_id: chainId,
      entity_type: kind,
      entity_id: address,
      deposit_rate,
      borrow_rate,
    } of rows) {
      const entity = entities.see({ kind, chainId, address })
      entity.depositRate = deposit_rate
      entity.borrowRate = borrow_rate
    }
}

type EarningsRow = z.output<typeof earningsItem>

const refOf = (row: EarningsRow): EntityRef => ({
  kind: row.entity_type,
  chainId: row.chain_id,
  address: row.entity_id,
})

// Reads a user's earnings by entity, whose values must be those of the newest snapshots.
async function readEarnings(
  { indexer, entities, onOtherValue }: UserWalk,
  user: string,
  holdings: Map<string, Holding>,
): Promise<EarningsRow[]> {
  const earnings = new Map<string, EarningsRow>()
  const path = `/v1/users/${user}/earnings`
  for await (const { rows } of indexerPages(indexer, path, earningsItem, { inBreakdown: true }))
    for (const row of rows) {
      const ref = refOf(row)
      entities.see(ref)
      if (earnings.has(entityKey(ref)))
        throw new Contradiction(indexer.name, `an entity came twice in the earnings of ${user}`)
      earnings.set(entityKey(ref), row)
      const { valueUsd = 0, incomplete = false } = holdings.get(entityKey(ref)) ?? {}
      if (!near(row.current_value_usd, valueUsd) || (incomplete && !row.has_incomplete_prices))
        onOtherValue()
    }
  return [...earnings.values()]
}

// Copies a user's cash flows, which must add up to the net cash in the earnings.
async function copyCashFlows(
  { indexer, files, entities }: UserWalk,
  cashFlows: AsyncIterable<GraphCashFlow[]>,
  user: string,
  earnings: EarningsRow[],
): Promise<void> {
  const nets = new Map(earnings.map((row) => [entityKey(refOf(row)), { sum: 0, gross: 1 }]))
  const seen = new Set<string>()
  for await (const page of cashFlows) {
    for (const { kind, chainId, accountId, entityType, entityId: address, ...flow } of page) {
      assertOwn(indexer, user, accountId, 'cash flow')
      const what = `the cash flow of ${user} in ${flow.txHash} at ${flow.logIndex}`
      const key = `${chainId} ${flow.txHash} ${flow.logIndex}`
      if (seen.has(key)) throw new Contradiction(indexer.name, `${what} came twice`)
      seen.add(key)
      const ref: EntityRef = { kind: entityType, chainId, address }
      entities.see(ref)
      const net = nets.get(entityKey(ref))
      if (!net)
        throw new Contradiction(indexer.name, `${what} is in no entity of the user's earnings`)
      const amountUsd = flow.amountUsd ?? 0
      net.sum += kind === 'deposit' || kind === 'repay' ? amountUsd : -amountUsd
      net.gross += Math.abs(amountUsd)
    }
    await files.write('cash-flows', page)
  }
  for (const row of earnings) {
    const { sum = 0, gross = 1 } = nets.get(entityKey(refOf(row))) ?? {}
    if (Math.abs(sum - row.net_cash_invested_usd) > 1e-9 * gross)
      throw new Contradiction(
        indexer.name,
        `the cash flows of ${user} in the ${row.entity_type} ${row.entity_id} add up to ` +
          `${sum}, its earnings say ${row.net_cash_invested_usd}`,
      )
  }
}

// REST shows no cash flows, but earnings show their net cash by entity, and whether a price was
// missing. Two equivalent flows replace them: one with the net cash, and one without a price if
// one was missing. Both are always written, so that they replace those of an earlier copy.
async function deriveCashFlows(
  { files }: UserWalk,
  user: string,
  earnings: EarningsRow[],
  holdings: Map<string, Holding>,
): Promise<void> {
  const flows = earnings.flatMap((row) => {
    const { kind, chainId, address } = refOf(row)
    const holding = holdings.get(entityKey(refOf(row)))
    const flow = {
      chainId,
      entityType: kind,
      entityId: address,
      accountId: user,
      txHash: `0x${createHash('sha256')
        .update(`${entityKey(refOf(row))} ${user}`)
        .digest('hex')}`,
      timestamp: String(holding?.firstTimestamp ?? 0),
    }
    const net = row.net_cash_invested_usd
    const isUnpriced = row.has_incomplete_prices && !holding?.incomplete
    return [
      { ...flow, logIndex: 0, kind: net < 0 ? 'withdraw' : 'deposit', amountUsd: Math.abs(net) },
      { ...flow, logIndex: 1, kind: 'deposit', amountUsd: isUnpriced ? null : 0 },
    ]
  })
  await files.write('cash-flows', flows)
}

/**
 * Copies a user's liquidation rewards in some markets and vaults.
 * @param onChain requests only rewards on the entity's chain. Otherwise all rewards at its address
 * count as that chain's
 */
export async function mirrorRewards(
  { indexer, files, entities }: UserWalk,
  user: string,
  refs: Iterable<EntityRef>,
  onChain: (ref: EntityRef) => boolean,
): Promise<void> {
  const seen = new Set<string>()
  for (const ref of refs) {
    const { kind, chainId, address } = ref
    const chain = onChain(ref) ? `&chain_id=${chainId}` : ''
    const path = `/v1/users/${user}/${kind}-liquidation-rewards?${kind}=${address}${chain}`
    const schema: z.ZodType<z.output<typeof marketReward> | z.output<typeof vaultReward>> =
      kind === 'market' ? marketReward : vaultReward
    for await (const { rows } of indexerPages(indexer, path, schema)) {
      for (const row of rows) {
        assertOwn(indexer, user, row.accountId, `${kind} reward`)
        const at = 'vaultId' in row ? row.vaultId : row.collateralMarketId
        if (at !== address)
          throw new Contradiction(
            indexer.name,
            `asked for rewards in the ${kind} ${address}, it gave one in ${at}`,
          )
        if ('debtMarketId' in row)
          entities.see({ kind: 'market', chainId, address: row.debtMarketId })
        const key = `${kind} ${chainId} ${row.txHash} ${row.logIndex}`
        if (seen.has(key))
          throw new Contradiction(
            indexer.name,
            `the reward of ${user} in ${row.txHash} at ${row.logIndex} came twice`,
          )
        seen.add(key)
      }
      await files.write(
        `${kind}-liquidation-rewards`,
        rows.map((row) => ({ chainId, ...row })),
      )
    }
  }
}

function assertOwn({ name }: RestServer, user: string, owner: string, what: string): void {
  if (owner !== user)
    throw new Contradiction(name, `asked for data of ${user}, it returned a ${what} of ${owner}`)
}

const near = (a: number, b: number) =>
  Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b))
