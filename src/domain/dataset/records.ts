import { rowSql } from 'pothos-sql'
import { type DatasetFile, datasetFiles } from '../../sources/dataset/dataset.ts'
import { DAY_MS } from '../../time.ts'
import { MAX_POINTS } from '../points/millionths.ts'
import { isSeasonName, SEASON_NAME } from '../season/season-dates.ts'
import { nearestName, type Problem, shownName } from './problem.ts'
import * as values from './values.ts'
import {
  defaulting,
  type Field,
  field,
  inColumn,
  nullable,
  oneOf,
  optional,
  RATES,
} from './values.ts'

/** An entity that a record can reference. It must be in the import or in the store. */
export type Entity = 'pool' | 'market' | 'vault' | 'asset'

/** A probable mistake: `what` lines have, and the field of one. */
export interface Doubt {
  what: string
  field: string
  reason: string
}

/**
 * A file of the import format, from which validation, COPY, the upsert, the guide and the template
 * derive.
 */
export interface RecordFormat {
  /** A description of its records, as Markdown. */
  about: string
  /** The table or view of its records. `columnOf` has the column of a field. */
  table: string
  /** The table behind a view. */
  stored?: string
  /** All fields that a record can have, in any order. */
  fields: Record<string, Field>
  /**
   * More records of the template: what differs from the samples of the fields. None at all if
   * exports alone have the file.
   */
  samples?: Record<string, unknown>[]
  /** The fields of the natural key. A record replaces an earlier one with the same key. */
  key: string[]
  /** The fields of the table's key, if it has more. */
  tableKey?: string[]
  /** Fields that records of other origins have, and that mean nothing here. */
  ignored?: string[]
  /**
   * Makes a record of names and logos fit. Such a file is anybody's: a record that does not fit is
   * left out.
   */
  mend?(record: Record<string, unknown>): { record: Record<string, unknown>; changes: Problem[] }
  /** Fields without a column in the table. */
  besides?: string[]
  /** The field with a user's address. */
  user?: string
  /** The field with the date of a record. */
  dated?: string
  /** The kind of entity that the records are. */
  defines?: Exclude<Entity, 'asset'>
  /** The fields with the addresses of assets that a record makes known, on its chain. */
  assets?: string[]
  /**
   * Fields that reference an entity, with its kind or the field of its kind. All but pools are on
   * `chainId`.
   */
  references?: Record<string, Entity | { kindIn: string }>
  /** A unique field that is not the key. */
  unique?: string
  /** Checks between fields, after each field is valid. */
  check?(record: Record<string, unknown>): { field: string; reason: string } | undefined
  /** Says what is probably a mistake in a valid record. */
  doubt?(record: Record<string, unknown>): Doubt | undefined
}

/** The records of the template: two users in a pool of two markets, and a vault. */
const POOL = '0x5e0ca1f32f4ea75fcc4ea74ed3eaea5ea9c8c80a'
const [MARKET_A, MARKET_B] = [
  '0xa1c5c0b0a9d1f4d9c3a4d5e60718293a4b5c6d7e',
  '0xb2d6d1c1bae205eac4b5e6f7182930415263748f',
]
const VAULT = '0xc3e7e2d2cbf316fbd5c6f70829304152637485a0'
const [TOKEN_A, TOKEN_B] = [
  '0xd4f8f3e3dc04270ce6d7081930415263748596b1',
  '0xe509040fed15381df7e8192a415263748596a7c2',
]
const [ANN, BEN] = [
  '0x1f00000000000000000000000000000000000a11',
  '0x2f00000000000000000000000000000000000b22',
]
const DAY = '2026-03-01'
/** Noon of the day. */
const SECONDS = '1772366400'
const DEPOSIT = '0x1111111111111111111111111111111111111111111111111111111111111111'
const BORROWING = '0x2222222222222222222222222222222222222222222222222222222222222222'
const LIQUIDATION = '0x3333333333333333333333333333333333333333333333333333333333333333'

const usd = nullable(values.number)
const chainId = field(values.integer, 'the id of the chain, such as 1 for Ethereum', 1)
const smallest = "in the token's smallest unit"

/** The fields of an asset, of which `whose` is the owner. */
const asset = (whose: string) => ({
  assetAddress: field(values.address, `the address of the ${whose}'s token`, TOKEN_A),
  assetSymbol: field(values.text, `the symbol of the ${whose}'s token`, 'WETH'),
  assetDecimals: field(values.decimals, `the decimals of the ${whose}'s token`, 18),
})

const depositRate = field(
  values.rate,
  `what lenders earn, as a fraction a year (0.05 is 5 %): ${RATES}`,
  0.02,
)
const borrowRate = (type = values.rate) =>
  field(type, 'what borrowers pay, as a fraction a year', 0.05)

const factors = (type = values.multiplier) => ({
  deposit_tokenA: field(type, 'the factor for each dollar of token A supplied', 1),
  deposit_tokenB: field(type, 'the factor for each dollar of token B supplied', 2),
  borrow_tokenA: field(type, 'the factor for each dollar of token A borrowed', 1),
  borrow_tokenB: field(type, 'the factor for each dollar of token B borrowed', 1),
})

const revision = {
  changedBy: field(values.text, 'who made the change', 'cli'),
  fromDate: field(
    optional(nullable(values.midnight)),
    'the first distribution date that it counts for; every date if it is absent',
  ),
  revokedAt: field(optional(nullable(values.instant)), 'when the announcement was revoked'),
  revokedBy: field(optional(nullable(values.text)), 'who revoked it'),
}

const reward = {
  chainId,
  txHash: field(values.hash, 'the transaction of the liquidation', LIQUIDATION),
  logIndex: field(values.integer, 'the index of the event in its block', 7),
  timestamp: field(values.seconds, 'when the liquidation happened', SECONDS),
  accountId: inColumn(
    'user_address',
    field(values.address, 'the user who has a share in the liquidation', ANN),
  ),
}
const rewardAmounts = {
  supplySent: field(
    values.uint256,
    `the user's share of the debt that was repaid, ${smallest}`,
    '100000000',
  ),
  supplySentUsd: field(usd, 'its worth in USD then; null if the price was missing', 100),
  collateralReceived: field(
    values.uint256,
    `the user's share of the collateral that was seized, ${smallest}`,
    '52500000000000000',
  ),
  collateralReceivedUsd: field(usd, 'its worth in USD then; null if the price was missing', 105),
  liquidReward: field(
    values.uint256,
    `the user's reward, ${smallest} of the collateral`,
    '2500000000000000',
  ),
  liquidRewardUsd: field(usd, 'its worth in USD then; null if the price was missing', 5),
  userRoi: field(
    nullable(values.text),
    'the return on the share, as the indexer writes it',
    '0.05',
  ),
  claimedTimestamp: field(
    nullable(values.seconds),
    'when the reward was claimed; null if it was not',
    null,
  ),
}

const snapshot = {
  chainId,
  accountId: inColumn('user_address', field(values.address, 'the user', ANN)),
  positionId: field(
    defaulting(values.name, 'main'),
    'distinguishes several positions of a user there; `main` if it is absent',
    'main',
  ),
  timestamp: field(
    values.seconds,
    "the moment of the snapshot; the user's newest ones count as current",
    SECONDS,
  ),
}

/** The fields of a side of a position, with the amounts of the template. */
function side(
  of: 'a' | 'b',
  token: string,
  symbol: string,
  price: number,
  amounts: [number, number, number],
) {
  const [supplied, isolated, borrowed] = amounts
  const letter = of.toUpperCase()
  const amount = (name: string, what: string, value: number) => ({
    [`${of}${name}Amount`]: field(values.number, `${what}, in whole tokens`, value),
    [`${of}${name}AmountUsd`]: field(
      values.number,
      `the same in USD: the amount times \`${of}TokenPrice\``,
      value * price,
    ),
  })
  return {
    [`${of}TokenAddress`]: field(values.address, `the address of token ${letter}`, token),
    [`${of}TokenSymbol`]: field(values.text, `the symbol of token ${letter}`, symbol),
    [`${of}TokenPrice`]: field(
      values.number,
      `the price of token ${letter} at that midnight, in USD`,
      price,
    ),
    ...amount('Supplied', `token ${letter} supplied that others may borrow`, supplied),
    ...amount('ProtectedSupplied', `token ${letter} supplied that nobody may borrow`, isolated),
    ...amount('Borrowed', `token ${letter} borrowed`, borrowed),
  }
}

const before = 'before the run'
const after = 'after the run'

/** The import format: one entry for each row of its document. */
export const records: Record<DatasetFile, RecordFormat> = {
  pools: {
    about:
      'A pool is a pair of tokens, A (`asset_1`) and B (`asset_2`). Each side is a lending market.',
    table: 'pool',
    key: ['id'],
    defines: 'pool',
    assets: ['asset_1_address', 'asset_2_address'],
    samples: [],
    fields: {
      id: field(
        values.address,
        "the pool's address: `marketAddress` of positions, `poolAddress` of multipliers, " +
          '`poolId` of markets',
        POOL,
      ),
      chainId,
      marketId: inColumn(
        'number',
        field(
          values.integer,
          "the pool's number in the protocol, which its name on pages ends in",
          20,
        ),
      ),
      name: field(values.text, "the pool's name", 'WETH/USDC'),
      asset_1_address: field(values.address, 'the address of token A', TOKEN_A),
      asset_1_name: field(values.text, 'the name of token A', 'Wrapped Ether'),
      asset_1_symbol: field(values.text, 'the symbol of token A', 'WETH'),
      asset_2_address: field(values.address, 'the address of token B', TOKEN_B),
      asset_2_name: field(values.text, 'the name of token B', 'USD Coin'),
      asset_2_symbol: field(values.text, 'the symbol of token B', 'USDC'),
      createdTimestamp: field(values.unix, 'when the pool was created', 1736572000),
      interestLastUpdated: field(
        values.unix,
        "when the pool's interest was last updated",
        1772366400,
      ),
      unit_1_id: field(values.address, "the address of side A's market: `id` of markets", MARKET_A),
      unit_2_id: field(values.address, "the address of side B's market", MARKET_B),
    },
  },
  'base-points-revisions': {
    about: 'The history of base points, which count in place of the settings.',
    table: 'base_points_revision',
    key: ['id'],
    dated: 'changedAt',
    fields: {
      id: field(values.integer, "the revision's number: later ones are larger", 1),
      deposit: field(values.multiplier, 'points per day for each dollar supplied', 1),
      borrow: field(values.multiplier, 'points per day for each dollar borrowed', 0.5),
      changedAt: field(values.instant, 'when the revision was made', '2026-02-01T12:00:00.000Z'),
      ...revision,
    },
  },
  'multiplier-revisions': {
    about:
      'The history of multipliers. All four factors are null where the multiplier was removed.',
    table: 'multiplier_revision',
    key: ['id'],
    dated: 'changedAt',
    references: { poolAddress: 'pool' },
    fields: {
      id: field(values.integer, "the revision's number: later ones are larger", 1),
      poolAddress: field(values.address, 'the pool', POOL),
      ...factors(nullable(values.multiplier)),
      changedAt: field(values.instant, 'when the revision took effect', '2026-02-01T12:00:00.000Z'),
      recordedAt: field(values.instant, 'when the gateway recorded it', '2026-02-01T12:00:00.000Z'),
      ...revision,
    },
    check: revisionFits,
  },
  multipliers: {
    about:
      'The factors that turn dollars in a pool into points. The positions of a pool without ' +
      'multipliers score 0.',
    table: 'multiplier',
    key: ['poolAddress'],
    unique: 'id',
    references: { poolAddress: 'pool' },
    samples: [],
    fields: {
      id: field(optional(values.uuid), 'the id in the REST API; one is assigned if it is absent'),
      poolAddress: field(values.address, 'the pool', POOL),
      ...factors(),
      createdAt: field(
        optional(values.instant),
        'when the pool first got a multiplier; now if it is absent',
      ),
      updatedAt: field(
        optional(values.instant),
        'when the factors last changed; now if it is absent and they differ',
      ),
    },
  },
  markets: {
    about: 'A market of one token that users lend and borrow. It is one side of a pool.',
    table: 'market',
    key: ['chainId', 'id'],
    defines: 'market',
    assets: ['assetAddress'],
    references: { poolId: 'pool' },
    samples: [
      {
        id: MARKET_B,
        assetAddress: TOKEN_B,
        assetSymbol: 'USDC',
        assetDecimals: 6,
        depositRate: 0.04,
        borrowRate: 0.07,
      },
    ],
    fields: {
      chainId,
      id: field(
        values.address,
        "the market's address: `marketId` of snapshots, `unit_1_id` or `unit_2_id` of its pool",
        MARKET_A,
      ),
      poolId: inColumn('pool_address', field(values.address, 'the pool', POOL)),
      ...asset('market'),
      depositRate,
      borrowRate: borrowRate(),
      maxLtv: field(
        optional(nullable(values.fraction)),
        'the maximum loan-to-value of a new loan against the token; a record with neither this ' +
          'nor `liquidationThreshold` keeps those that are stored',
        0.75,
      ),
      liquidationThreshold: field(
        optional(nullable(values.fraction)),
        'the loan-to-value above which a loan against the token can be liquidated; not below ' +
          '`maxLtv`',
        0.8,
      ),
      pastLimits: field(
        optional(nullable(values.pastLimits)),
        'both as they were before, oldest first: each counts for distribution dates before ' +
          '`until`. Without it, those that are stored are kept, and a change of the limits adds ' +
          'the previous ones',
      ),
    },
    besides: ['pastLimits'],
    check: riskFits,
  },
  vaults: {
    about: 'A vault that invests one token in several markets.',
    table: 'vault',
    key: ['chainId', 'id'],
    defines: 'vault',
    assets: ['assetAddress'],
    samples: [],
    fields: {
      chainId,
      id: field(values.address, "the vault's address: `vaultId` of snapshots", VAULT),
      name: field(values.text, "the vault's name", 'WETH vault'),
      ...asset('vault'),
      depositRate,
    },
  },
  rates: {
    about:
      'The history of rates. An import also records the rates of markets.jsonl and vaults.jsonl.',
    table: 'rate_revision',
    key: ['entityType', 'chainId', 'entityId', 'changedAt'],
    dated: 'changedAt',
    references: { entityId: { kindIn: 'entityType' } },
    fields: {
      entityType: field(oneOf('entity_type', 'market', 'vault'), 'what has the rates', 'market'),
      chainId,
      entityId: field(values.address, 'the market or the vault', MARKET_A),
      changedAt: field(values.instant, 'when the rates took effect', '2026-02-01T12:00:00.000Z'),
      depositRate,
      borrowRate: borrowRate(optional(nullable(values.rate))),
    },
    check: ratesFit,
  },
  prices: {
    about:
      'The price of a token on a day (UTC). A snapshot of that day whose USD value is null ' +
      'gets it from the price: its amount times the price.',
    table: 'asset_price',
    key: ['chainId', 'assetAddress', 'date'],
    dated: 'date',
    references: { assetAddress: 'asset' },
    samples: [],
    fields: {
      chainId,
      assetAddress: field(values.address, 'the token: one of a pool, market or vault', TOKEN_A),
      date: field(values.midnight, 'the day', DAY),
      priceUsd: field(values.price, 'the price of one whole token, in USD', 2000),
      source: field(optional(nullable(values.text)), 'where the price is from', 'an exchange'),
      time: field(
        optional(nullable(values.instant)),
        'the moment of the price, at most a day before or after its day',
        '2026-03-01T12:00:00.000Z',
      ),
    },
    check: priceFits,
  },
  tokens: {
    about:
      'The name and the logo of a token, in the words of a [token ' +
      'list](https://tokenlists.org). It replaces the name that pools have. Its other fields ' +
      'are ignored. A token that no pool, market or vault has yet is stored too. A line that ' +
      'does not fit, or that repeats a token with another name or logo, is left out; a name ' +
      'that is too long is shortened. The import says how many there are.',
    table: 'token',
    key: ['chainId', 'address'],
    ignored: ['symbol', 'decimals', 'tags', 'extensions'],
    mend: mendToken,
    samples: [],
    fields: {
      chainId,
      address: field(values.address, 'the token', TOKEN_A),
      name: field(values.name, 'the name of the token', 'Wrapped Ether'),
      logoURI: field(
        optional(nullable(values.logo)),
        'an image as data (PNG, WebP or SVG), or a link. A link is shown if it begins with ' +
          '`https` and LOGO_HOSTS has its host',
        'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 ' +
          '2"%3E%3Ccircle cx="1" cy="1" r="1" fill="%234f46e5"/%3E%3C/svg%3E',
      ),
    },
  },
  users: {
    about: 'The users. Only those without any other record need it.',
    table: '"user"',
    key: ['address'],
    fields: { address: inColumn('user_address', field(values.address, 'the user', ANN)) },
  },
  runs: {
    about:
      'The history of runs. Points are decimal strings, as totals may have more digits than a ' +
      'double.',
    table: 'run',
    key: ['id'],
    dated: 'date',
    fields: {
      id: field(values.integer, "the run's number", 1),
      kind: field(
        oneOf('distribution_kind', 'import', 'manualupdate', 'resync', 'update'),
        'what it did',
        'resync',
      ),
      date: field(
        nullable(values.midnight),
        'the distribution date; null for an update, and for an import that failed or changed none',
        DAY,
      ),
      leg: field(
        optional(nullable(values.text)),
        'the leg of an update; null for other runs',
        null,
      ),
      status: field(oneOf('run_status', 'succeeded', 'failed'), 'how it ended', 'succeeded'),
      requestedBy: field(values.text, 'who requested it', 'cli'),
      startedAt: field(values.instant, 'when it started', '2026-03-01T00:10:00.000Z'),
      finishedAt: field(values.instant, 'when it ended', '2026-03-01T00:10:01.000Z'),
      error: field(nullable(values.message), 'why it failed; null if it did not', null),
      baseDeposit: field(values.number, 'base points of a dollar supplied', 1),
      baseBorrow: field(values.number, 'base points of a dollar borrowed', 0.5),
      multiplierRevision: field(
        nullable(values.integer),
        'the newest revision of multipliers that it used',
        1,
      ),
      sources: field(values.receipts, 'the receipts of what it fetched', []),
      positionCountBefore: field(nullable(values.count), `positions of the date ${before}`, 2),
      positionCountAfter: field(nullable(values.count), `positions of the date ${after}`, 2),
      accountCountBefore: field(
        nullable(values.count),
        `users with positions on the date ${before}`,
        2,
      ),
      accountCountAfter: field(
        nullable(values.count),
        `users with positions on the date ${after}`,
        2,
      ),
      totalPointsBefore: field(nullable(values.total), `points of the date ${before}`, '0'),
      totalPointsAfter: field(nullable(values.total), `points of the date ${after}`, '4450'),
      digest: field(optional(nullable(values.text)), `the digest of the date ${after}`, null),
      reopened: field(
        optional(nullable(values.text)),
        'the season whose final board it has changed; null if none',
        null,
      ),
    },
    check: runFits,
  },
  positions: {
    about:
      'A position has the amounts of a user in a pool on a distribution date, and the prices ' +
      'of that midnight. Its points are computed from the multipliers, unless the record has ' +
      'them.',
    table: 'position',
    stored: 'stored_position',
    key: ['userAddress', 'distributionDate', 'marketAddress'],
    unique: 'id',
    user: 'userAddress',
    dated: 'distributionDate',
    references: { marketAddress: 'pool' },
    besides: ['pointsA', 'pointsB', 'points', 'pointsGiven', 'runId'],
    samples: [
      {
        userAddress: BEN,
        ...{
          aSuppliedAmount: 0,
          aSuppliedAmountUsd: 0,
          aProtectedSuppliedAmount: 0.5,
          aProtectedSuppliedAmountUsd: 1000,
        },
        ...{ bBorrowedAmount: 400, bBorrowedAmountUsd: 400 },
      },
    ],
    fields: {
      id: field(
        optional(values.name),
        'the id in the REST API, unique in the store; one is assigned if it is absent',
      ),
      userAddress: field(values.address, 'the user', ANN),
      marketAddress: inColumn(
        'pool_address',
        field(values.address, 'the pool: `id` of pools, not of markets', POOL),
      ),
      distributionDate: field(values.midnight, 'the distribution date', DAY),
      pointsA: field(optional(values.points), 'points of side A; with `pointsB` or not at all'),
      pointsB: field(optional(values.points), 'points of side B'),
      points: field(optional(values.pointsOfBoth), 'the sum of both'),
      pointsGiven: field(
        optional(values.boolean),
        'of exports: whether the points were imported, not computed',
      ),
      runId: field(
        optional(nullable(values.integer)),
        'of exports: the run that stored the points',
      ),
      ...side('a', TOKEN_A, 'WETH', 2000, [1.5, 0, 0]),
      ...side('b', TOKEN_B, 'USDC', 1, [0, 0, 500]),
    },
    check: pointsFit,
    doubt: doubtUsd,
  },
  'market-snapshots': {
    about:
      'The amounts of a user in a market at one moment. A closed position ends with a snapshot ' +
      'of zeros.',
    table: 'market_snapshot',
    key: ['accountId', 'chainId', 'marketId', 'timestamp', 'positionId'],
    user: 'accountId',
    dated: 'timestamp',
    doubt: doubtTime,
    references: { marketId: 'market' },
    samples: [
      {
        marketId: MARKET_B,
        ...{ collateralAssets: '0', collateralUsd: 0, debtAssets: '500000000', debtUsd: 500 },
      },
    ],
    fields: {
      ...snapshot,
      marketId: field(values.address, 'the market: `id` of markets', MARKET_A),
      collateralAssets: field(
        values.uint256,
        `collateral that others may borrow, ${smallest}`,
        '1500000000000000000',
      ),
      collateralUsd: field(usd, 'the same in USD; null if the price was missing', 3000),
      protectedAssets: field(values.uint256, `collateral that nobody may borrow, ${smallest}`, '0'),
      protectedUsd: field(usd, 'the same in USD; null if the price was missing', 0),
      debtAssets: field(values.uint256, `debt, ${smallest}`, '0'),
      debtUsd: field(usd, 'the same in USD; null if the price was missing', 0),
    },
  },
  'vault-snapshots': {
    about: 'The amount of a user in a vault at one moment.',
    table: 'vault_snapshot',
    key: ['accountId', 'chainId', 'vaultId', 'timestamp', 'positionId'],
    user: 'accountId',
    dated: 'timestamp',
    doubt: doubtTime,
    references: { vaultId: 'vault' },
    samples: [],
    fields: {
      ...snapshot,
      vaultId: field(values.address, 'the vault: `id` of vaults', VAULT),
      shares: field(
        values.uint256,
        "shares of the vault, in the shares' smallest unit",
        '490000000000000000',
      ),
      assets: field(values.uint256, `what the shares are worth, ${smallest}`, '500000000000000000'),
      assetsUsd: field(usd, 'the same in USD; null if the price was missing', 1000),
    },
  },
  'market-liquidation-rewards': {
    about: "A user's share in the reward of a liquidation in a market.",
    table: 'market_liquidation_reward',
    key: ['chainId', 'txHash', 'logIndex', 'accountId'],
    user: 'accountId',
    dated: 'timestamp',
    doubt: doubtTime,
    references: { debtMarketId: 'market', collateralMarketId: 'market' },
    samples: [],
    fields: {
      ...reward,
      ...rewardAmounts,
      debtMarketId: field(values.address, 'the market of the debt', MARKET_B),
      collateralMarketId: field(values.address, 'the market of the collateral', MARKET_A),
    },
  },
  'vault-liquidation-rewards': {
    about: "A user's share in the reward of a liquidation that a vault took part in.",
    table: 'vault_liquidation_reward',
    key: ['chainId', 'txHash', 'logIndex', 'accountId'],
    user: 'accountId',
    dated: 'timestamp',
    doubt: doubtTime,
    references: { vaultId: 'vault' },
    samples: [],
    fields: { ...reward, ...rewardAmounts, vaultId: field(values.address, 'the vault', VAULT) },
  },
  'cash-flows': {
    about:
      'Money that a user moved. Earnings are what the snapshots are worth now, less what was ' +
      'put in: deposits and repayments less withdrawals and borrowings.',
    table: 'cash_flow',
    key: ['chainId', 'txHash', 'logIndex'],
    tableKey: ['chainId', 'txHash', 'logIndex', 'accountId'],
    user: 'accountId',
    dated: 'timestamp',
    doubt: doubtTime,
    references: { entityId: { kindIn: 'entityType' } },
    samples: [
      {
        entityType: 'vault',
        entityId: VAULT,
        logIndex: 2,
        amountUsd: 950,
        assets: '500000000000000000',
      },
      {
        entityId: MARKET_B,
        txHash: BORROWING,
        kind: 'borrow',
        assets: '500000000',
        amountUsd: 500,
      },
    ],
    fields: {
      chainId,
      entityType: field(
        oneOf('entity_type', 'market', 'vault'),
        'where the money went or came from',
        'market',
      ),
      entityId: field(values.address, 'the market or the vault', MARKET_A),
      accountId: inColumn('user_address', field(values.address, 'the user', ANN)),
      txHash: field(values.hash, 'the transaction', DEPOSIT),
      logIndex: field(values.integer, 'the index of the event in its block', 1),
      timestamp: field(values.seconds, 'when the money moved', '1769947200'),
      kind: field(
        oneOf('cash_flow_kind', 'deposit', 'withdraw', 'borrow', 'repay'),
        'what happened',
        'deposit',
      ),
      assets: field(
        optional(nullable(values.uint256)),
        `the amount, ${smallest}`,
        '1500000000000000000',
      ),
      amountUsd: field(
        usd,
        'its worth in USD then, never negative; null if the price was missing',
        2850,
      ),
    },
  },
  ledger: {
    about:
      'How runs have changed points of users after the first run of a date. A run of ' +
      'runs.jsonl made each change.',
    table: 'account_ledger',
    stored: 'account_day',
    key: ['userAddress', 'distributionDate', 'runId', 'poolAddress'],
    dated: 'distributionDate',
    references: { poolAddress: 'pool' },
    fields: {
      userAddress: field(values.address, 'the user', ANN),
      distributionDate: field(values.midnight, 'the distribution date', DAY),
      runId: field(values.count, 'the run', 2),
      poolAddress: field(values.address, 'the pool', POOL),
      pointsBefore: field(
        values.total,
        `points of the user in the pool on the date ${before}`,
        '4450',
      ),
      pointsAfter: field(values.total, `the same ${after}`, '4900'),
      reasons: field(values.reasons, 'why they changed, as far as it is known', ['MULTIPLIER']),
    },
    check: entryFits,
  },
  seasons: {
    about: 'The seasons of the points program. No two share a date.',
    table: 'season',
    key: ['name'],
    fields: {
      name: field(values.name, "the season's name", 'Season 1'),
      startsAt: field(values.midnight, 'its first distribution date', '2026-01-01'),
      endsAt: field(
        nullable(values.midnight),
        'its last distribution date; null if it has no end yet',
        '2026-06-30',
      ),
      digest: field(
        nullable(values.text),
        'the digest of its final board; null if it is not final',
        null,
      ),
      closedAt: field(
        nullable(values.instant),
        'when its board became final; null if it is not',
        null,
      ),
      changedAt: field(values.instant, 'when the season was set', '2026-01-01T09:00:00.000Z'),
      changedBy: field(values.text, 'who set it', 'cli'),
    },
    check: seasonFits,
  },
}

/** The column of a field of records, in the table and while they are staged. */
export const columnOf = ({ fields }: Pick<RecordFormat, 'fields'>, name: string): string =>
  fields[name]?.column ?? rowSql.snakeCase(name)

/** The files of the template: all but those that exports alone have. */
export const templateFiles = datasetFiles.filter((file) => records[file].samples)

/** The records of a file in the template; an example of one in any other file. */
export function sampleRecords(file: DatasetFile): Record<string, unknown>[] {
  const { fields, samples = [] } = records[file]
  const sampled = Object.entries(fields).filter(([, { sample }]) => sample !== undefined)
  const first = Object.fromEntries(sampled.map(([name, { sample }]) => [name, sample]))
  return [first, ...samples.map((other) => ({ ...first, ...other }))]
}

/** A revision has all four factors, or none where the multiplier was removed. */
function revisionFits(revision: Record<string, unknown>) {
  const factors = ['deposit_tokenA', 'deposit_tokenB', 'borrow_tokenA', 'borrow_tokenB']
  const removed = factors.filter((factor) => revision[factor] === null)
  const [field] = removed
  if (field === undefined || removed.length === factors.length) return undefined
  return { field, reason: 'must be a number, unless all four are null' }
}

/** A run that succeeded stored a date, unless it is an update, or an import of other records. */
function runFits({ kind, status, date }: Record<string, unknown>) {
  if (status === 'failed' || kind === 'update' || kind === 'import' || date !== null)
    return undefined
  return { field: 'date', reason: 'must not be null: the run succeeded' }
}

/** Points of both sides of a position. An entry has more bits for them. */
function entryFits({ pointsBefore, pointsAfter }: Record<string, unknown>) {
  const entry = Object.entries({ pointsBefore, pointsAfter })
  const [field] = entry.find(([, points]) => Math.abs(Number(points)) > 2 * MAX_POINTS) ?? []
  return field === undefined
    ? undefined
    : { field, reason: `must be from -${2 * MAX_POINTS} to ${2 * MAX_POINTS}` }
}

function seasonFits({ name, startsAt, endsAt }: Record<string, unknown>) {
  if (!isSeasonName(String(name))) return { field: 'name', reason: SEASON_NAME }
  if (endsAt === null || Date.parse(String(endsAt)) >= Date.parse(String(startsAt)))
    return undefined
  return { field: 'endsAt', reason: 'must not be before startsAt' }
}

/** A market has both rates, a vault has no borrow rate. */
function ratesFit({ entityType, borrowRate }: Record<string, unknown>) {
  if ((entityType === 'market') === (typeof borrowRate === 'number')) return undefined
  return {
    field: 'borrowRate',
    reason: entityType === 'market' ? 'is missing' : 'must be absent: a vault has none',
  }
}

/** The moment of a price belongs to its day. */
function priceFits({ date, time }: Record<string, unknown>) {
  if (typeof time !== 'string') return undefined
  const days = (Date.parse(time) - Date.parse(String(date))) / DAY_MS
  if (days >= -1 && days <= 2) return undefined
  return {
    field: 'time',
    reason: `must be at most a day before or after ${String(date).slice(0, 10)}, but is ${time}`,
  }
}

const TOKEN_FIELDS = [
  'chainId',
  'address',
  'name',
  'logoURI',
  'symbol',
  'decimals',
  'tags',
  'extensions',
]

/**
 * Shortens the name of a token, and leaves out a logo that cannot be stored and fields that no
 * token list has.
 */
function mendToken(token: Record<string, unknown>) {
  const changes: Problem[] = []
  const record = { ...token }
  const unknown = Object.keys(token).filter((field) => !TOKEN_FIELDS.includes(field))
  for (const field of unknown) delete record[field]
  const [first = ''] = unknown
  if (first !== '')
    changes.push({
      field: shownName(first),
      reason: `is ignored, ${nearestName(first, TOKEN_FIELDS)}`,
    })
  if (typeof token.name === 'string' && token.name.length > values.MAX_TEXT) {
    record.name = `${token.name.slice(0, values.MAX_TEXT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
    changes.push({ field: 'name', reason: `has ${token.name.length} characters` })
  }
  const { logoURI } = token
  if (logoURI !== undefined && logoURI !== null && values.logo.encode(logoURI) === undefined) {
    delete record.logoURI
    changes.push({ field: 'logoURI', reason: `must be ${values.logo.what}` })
  }
  return { record, changes }
}

/** A loan that is allowed must not be liquidated at once. */
function riskFits({ maxLtv, liquidationThreshold }: Record<string, unknown>) {
  if (
    typeof maxLtv !== 'number' ||
    typeof liquidationThreshold !== 'number' ||
    maxLtv <= liquidationThreshold
  )
    return undefined
  return {
    field: 'maxLtv',
    reason: `must not be above liquidationThreshold, ${liquidationThreshold}, but is ${maxLtv}`,
  }
}

/**
 * A USD amount may differ from amount × price by this share of the larger one, or by this many
 * dollars: prices are rounded.
 */
const USD_SHARE = 0.01
const USD_ROUNDING = 1

const priced = ['a', 'b'].flatMap((side) =>
  ['SuppliedAmount', 'ProtectedSuppliedAmount', 'BorrowedAmount'].map((amount) => ({
    usd: `${side}${amount}Usd`,
    amount: `${side}${amount}`,
    price: `${side}TokenPrice`,
  })),
)

/** A USD amount is its amount times the price. */
function doubtUsd(position: Record<string, unknown>) {
  for (const { usd, amount, price } of priced) {
    const [stated, expected] = [
      Number(position[usd]),
      Number(position[amount]) * Number(position[price]),
    ]
    const difference = Math.abs(stated - expected)
    if (
      difference > USD_ROUNDING &&
      difference > USD_SHARE * Math.max(Math.abs(stated), Math.abs(expected))
    )
      return {
        what: 'a USD amount that contradicts amount × price',
        field: usd,
        reason: `is ${stated}, but ${amount} × ${price} is ${Number(expected.toPrecision(6))}`,
      }
  }
  return undefined
}

/** Unix seconds of the year 5138. Milliseconds are more since 1973. */
const MILLISECONDS = 1e11

function doubtTime({ timestamp }: Record<string, unknown>) {
  if (Number(timestamp) < MILLISECONDS) return undefined
  const what = 'a time that seems to be in milliseconds, not in seconds'
  return { what, field: 'timestamp', reason: `is ${timestamp}` }
}

/** pointsA and pointsB are given together or not at all. If given, points is their sum. */
function pointsFit({ pointsA, pointsB, points }: Record<string, unknown>) {
  if (typeof pointsA !== 'number' && typeof pointsB !== 'number')
    return points === undefined
      ? undefined
      : { field: 'points', reason: 'needs pointsA and pointsB' }
  if (typeof pointsA !== 'number')
    return { field: 'pointsA', reason: 'is missing: pointsB is given' }
  if (typeof pointsB !== 'number')
    return { field: 'pointsB', reason: 'is missing: pointsA is given' }
  const sum = pointsA + pointsB
  if (
    typeof points !== 'number' ||
    Math.abs(points - sum) <= 1e-9 * Math.max(1, Math.abs(pointsA), Math.abs(pointsB))
  )
    return undefined
  return {
    field: 'points',
    reason: `must be pointsA + pointsB, ${Number(sum.toFixed(6))}, not ${points}`,
  }
}
