import { records } from '../../../src/domain/dataset/records.ts'
import { type LegName, legNames } from '../../../src/domain/update/legs.ts'
import { addressOf, hashOf } from '../../support/datasets.ts'
import {
  cashFlow,
  DAY_SECONDS,
  entities,
  MARKET,
  marketSnapshot,
  NOON,
  priceOf,
  rateChange,
  VAULT,
} from '../../support/legs.ts'
import { POOL } from '../../support/one-pool.ts'

/** Midnight of the first day. */
export const START = NOON - DAY_SECONDS / 2
export const DAYS = 17
/**
 * A day without records, one of which an old day is corrected, and one on which a user closes a
 * position.
 */
const [GAP, OLD_CORRECTION, CLOSING] = [9, 12, 14]
export const CORRECTED_DAY = 1

const OTHER_MARKET = `0x${'5'.repeat(40)}`
const USERS = ['ann', 'ben', 'cat', 'dan', 'eve', 'fay']
const [market] = entities.markets as object[]
export const simulatedEntities = {
  ...entities,
  markets: [market, { ...market, id: OTHER_MARKET }] as object[],
}

type Simulated = Exclude<LegName, 'pools' | 'markets' | 'vaults' | 'tokens' | 'thresholds'>
/** The legs of records with dates. */
export const simulatedLegs = legNames.filter(
  (leg): leg is Simulated => records[leg].dated !== undefined,
)

export type Records = Record<Simulated, Record<string, unknown>[]>

/**
 * All that an indexer shows at the end of a day. Of the day itself, prices are missing and amounts
 * are provisional; one user's records of a day come late, and an old day is corrected.
 */
export function recordsOn(today: number): Records {
  const days = Array.from({ length: today + 1 }, (_, day) => day).filter((day) => day !== GAP)
  const each = (step: number) => days.filter((day) => day % step === 0)
  return {
    rates: each(3).map((day) => rateChange(START + day * DAY_SECONDS + 3600, 0.01 + day / 1000)),
    prices: days.map((day) =>
      priceOf(day, day === today ? 3 : 2 + day / 7, { source: 'simulation' }),
    ),
    'market-snapshots': days.flatMap((day) => marketSnapshots(day, today)),
    'vault-snapshots': days.flatMap((day) => vaultSnapshots(day, today)),
    'market-liquidation-rewards': each(4).map((day) => ({
      ...reward('ann', day, today),
      debtMarketId: OTHER_MARKET,
      collateralMarketId: MARKET,
    })),
    'vault-liquidation-rewards': each(6).map((day) => ({
      ...reward('ben', day, today),
      vaultId: VAULT,
    })),
    liquidations: each(4).map((day) => liquidation(day, today)),
    'cash-flows': days.flatMap((day) =>
      ['cat', 'dan'].map((user) =>
        cashFlow(user, day, at(day, 9), 5 + day, { amountUsd: day === today ? null : 5 + day }),
      ),
    ),
  }
}

const at = (day: number, hour: number) => START + day * DAY_SECONDS + hour * 3600

/** The users with records of a day. */
function usersOf(day: number, today: number): [string, number][] {
  const isLate = (user: string) => user === 'cat' && day === 3 && today === 3
  const hasLeft = (user: string) => user === 'fay' && day > CLOSING
  return USERS.map((user, at): [string, number] => [user, at]).filter(
    ([user]) => !isLate(user) && !hasLeft(user),
  )
}

function marketSnapshots(day: number, today: number) {
  return usersOf(day, today).flatMap(([user, number]) => {
    const usd = user === 'fay' && day === CLOSING ? 0 : 1000 + 10 * number + day
    const twice = user === 'ben' && day === CORRECTED_DAY && today >= OLD_CORRECTION ? 2 : 1
    const isKnown = day < today || (day + number) % 3 > 0
    // The last one of a day is taken again on the next one.
    const evening = at(day, 18) + (day < today ? 300 : 0)
    const amount = (value: number) => ({ collateralAssets: `${value * twice}000000000000000000` })
    return [
      marketSnapshot(user, at(day, 6), usd / 2, amount(usd)),
      marketSnapshot(user, evening, isKnown ? usd * twice : null, amount(usd)),
      ...(user === 'dan'
        ? [marketSnapshot(user, evening, usd / 2, { positionId: 'b', debtAssets: '7' })]
        : []),
      ...(user === 'eve'
        ? [marketSnapshot(user, at(day, 17), 3, { marketId: OTHER_MARKET, debtUsd: 1 })]
        : []),
    ]
  })
}

function vaultSnapshots(day: number, today: number) {
  return usersOf(day, today)
    .filter(([, number]) => number < 3)
    .map(([user, number]) => ({
      ...{ chainId: 1, accountId: addressOf(user), positionId: 'main', vaultId: VAULT },
      ...{
        timestamp: String(at(day, 18)),
        shares: String(100 + number),
        assets: String(2n ** 200n + BigInt(day)),
      },
      assetsUsd: day === today && number === 1 ? null : 500 + day,
    }))
}

const reward = (user: string, day: number, today: number) => ({
  chainId: 1,
  txHash: hashOf(`reward ${user} ${day}`),
  logIndex: day,
  timestamp: String(at(day, 8)),
  accountId: addressOf(user),
  supplySent: '5',
  supplySentUsd: 2.5,
  collateralReceived: '6',
  collateralReceivedUsd: day === today ? null : 3,
  liquidReward: '1',
  liquidRewardUsd: 0.5,
  userRoi: '0.05',
  claimedTimestamp: day === today ? null : String(at(day + 1, 2)),
})

const liquidation = (day: number, today: number) => ({
  chainId: 1,
  txHash: hashOf(`reward ann ${day}`),
  logIndex: day + 1,
  timestamp: String(at(day, 8)),
  borrower: addressOf('dan'),
  liquidator: addressOf('liquidator'),
  poolId: POOL,
  debtMarketId: OTHER_MARKET,
  collateralMarketId: MARKET,
  debtRepaid: '5',
  debtRepaidUsd: 2.5,
  collateralSeized: '6',
  collateralSeizedUsd: day === today ? null : 3,
})

/** The id of a record in an indexer. */
export const idOf = (leg: LegName, record: Record<string, unknown>) =>
  records[leg].key.map((field) => record[field]).join('-')

/** True if the dates of a leg are ISO 8601. */
export const isIso = (leg: LegName) => leg === 'rates' || leg === 'prices'

/** The argument type of a leg's date. */
export const dateField = (leg: LegName) => records[leg].dated as string
