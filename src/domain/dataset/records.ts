import { type DatasetFile, datasetFiles } from '../../sources/index.ts'
import { activityColumns } from '../activity/activity.ts'
import { runColumns } from '../distribution/run-listing.ts'
import { ledgerColumns } from '../ledger/ledger.ts'
import { liquidationColumns } from '../liquidation/liquidation.ts'
import { rewardColumns } from '../liquidation/reward.ts'
import { marketColumns } from '../market/market.ts'
import { basePointsColumns } from '../multiplier/base-points.ts'
import { revisionColumns } from '../multiplier/history.ts'
import { multiplierColumns } from '../multiplier/multiplier.ts'
import { poolColumns } from '../pool/pool.ts'
import { positionColumns } from '../position/position.ts'
import { seasonColumns } from '../season/season.ts'
import { vaultColumns } from '../vault/vault.ts'
import {
  type Doubt,
  doubtTime,
  doubtUsd,
  entryFits,
  type Misfit,
  mendToken,
  pointsFit,
  priceFits,
  ratesFit,
  revisionFits,
  riskFits,
  runFits,
  seasonFits,
} from './checks.ts'
import { fieldsOf, type RecordField } from './fields.ts'
import type { Problem } from './problem.ts'
import samples from './samples.json' with { type: 'json' }
import * as values from './values.ts'
import { oneOf } from './values.ts'

/** An entity that a record can reference. It must be in the import or in the store. */
export type ReferencedKind = 'pool' | 'market' | 'vault' | 'asset'

/**
 * A file of the import format, from which validation, COPY, the upsert, the guide and the template
 * derive.
 */
export interface RecordFormat {
  about: string
  /** The table or view of its records. `columnOf` has the column of a field. */
  table: string
  /** The table behind a view. */
  stored?: string
  fields: Record<string, RecordField>
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
  /** The file that has these fields too, and that an export writes in its place. */
  partOf?: DatasetFile
  user?: string
  dated?: string
  /** The kind of entity that the records are. */
  defines?: Exclude<ReferencedKind, 'asset'>
  /** The fields with the addresses of assets that a record makes known, on its chain. */
  assets?: string[]
  /**
   * Fields that reference an entity, with its kind or the field of its kind. All but pools are on
   * `chainId`.
   */
  references?: Record<string, ReferencedKind | { kindIn: string }>
  /** A unique field that is not the key. */
  unique?: string
  /** Checks between fields, after each field is valid. */
  check?(record: Record<string, unknown>): Misfit | undefined
  /** Says what is probably a mistake in a valid record. */
  doubt?(record: Record<string, unknown>): Doubt | undefined
}

// Nullable, but no record lacks it.
const required = { optional: false } as const

// Records of what a user did at a moment.
const OF_USER = { user: 'accountId', dated: 'timestamp', doubt: doubtTime }

const described = (description: string) => ({ description })
const address = (description: string) => ({ type: 'address', description }) as const
const amount = (what: string) =>
  ({ type: 'amount', description: `${what}, in the token's smallest unit.` }) as const
const usd = {
  type: 'float',
  nullable: true,
  ...required,
  description: 'The same in USD. Null if the price was missing.',
} as const
const chainId = {
  type: 'integer',
  description: 'The id of the chain, such as 1 for Ethereum.',
} as const
const user = { ...address('The user.'), sql: 't.user_address' } as const
const ENTITY_TYPE = { type: 'text', rule: oneOf('entity_type', 'market', 'vault') } as const

const asset = (owner: string) => ({
  assetAddress: described(`The address of the ${owner}'s token.`),
  assetSymbol: described(`The symbol of the ${owner}'s token.`),
  assetDecimals: { rule: values.decimals, description: `The decimals of the ${owner}'s token.` },
})

const LIMITS = {
  maxLtv: {
    rule: values.fraction,
    description:
      'The maximum loan-to-value of a new loan against the token. A record with neither this ' +
      'nor `liquidationThreshold` keeps those that are stored.',
  },
  liquidationThreshold: { rule: values.fraction },
  pastLimits: {
    type: 'json',
    rule: values.pastLimits,
    nullable: true,
    description:
      'Both as they were before, oldest first: each counts for distribution dates before ' +
      '`until`. Without it, those that are stored stay, and a change of the limits adds ' +
      'the previous ones.',
  },
} as const

const depositRate = {
  rule: values.rate,
  description: `The deposit APR as a fraction (0.05 is 5 %): ${values.RATES}.`,
}

const factors = (options: { optional?: false }) => ({
  deposit_tokenA: { column: 'depositA', rule: values.multiplier, ...options },
  deposit_tokenB: { column: 'depositB', rule: values.multiplier, ...options },
  borrow_tokenA: { column: 'borrowA', rule: values.multiplier, ...options },
  borrow_tokenB: { column: 'borrowB', rule: values.multiplier, ...options },
})

const REVISION = described("The revision's number. Later ones are larger.")

const reward = {
  txHash: { rule: values.hash },
  accountId: { column: 'userAddress', description: 'The user who has a share in the liquidation.' },
  supplySent: amount("The user's supply that paid the debt"),
  supplySentUsd: usd,
  collateralReceived: amount('All collateral that the user got for it'),
  collateralReceivedUsd: usd,
  liquidReward: amount('The part of the received collateral that is the reward'),
  liquidRewardUsd: usd,
  userRoi: required,
  claimedTimestamp: required,
}

const snapshot = {
  chainId,
  accountId: user,
  positionId: {
    type: 'text',
    rule: values.name,
    optional: 'main',
    description: 'Distinguishes several positions of a user there. `main` if it is absent.',
  },
  timestamp: {
    type: 'timestamp',
    description: "The moment of the snapshot. The user's newest ones count as current.",
  },
} as const

const aroundRun = (name: string, what: string, options: { type?: 'total' } = {}) => ({
  [`${name}Before`]: { ...required, ...options, description: `${what} before the run.` },
  [`${name}After`]: { ...required, ...options, description: `${what} after the run.` },
})

function side(of: 'a' | 'b') {
  const token = of.toUpperCase()
  const amounts = (name: string, what: string) => ({
    [`${of}${name}`]: described(`Whole tokens ${token} ${what}.`),
    [`${of}${name}Usd`]: described(`The same in USD: the amount times \`${of}TokenPrice\`.`),
  })
  return {
    [`${of}TokenAddress`]: described(`The address of token ${token}.`),
    [`${of}TokenSymbol`]: described(`The symbol of token ${token}.`),
    [`${of}TokenPrice`]: described(`The price of token ${token} at that midnight, in USD.`),
    ...amounts('SuppliedAmount', 'supplied that others may borrow'),
    ...amounts('ProtectedSuppliedAmount', 'supplied that nobody may borrow'),
    ...amounts('BorrowedAmount', 'borrowed'),
  }
}

/** The import format: one entry for each row of its document. */
export const records: Record<DatasetFile, RecordFormat> = {
  pools: {
    about:
      'A pool is a pair of tokens, A (`asset_1`) and B (`asset_2`). Each side is a lending market.',
    table: 'pool',
    key: ['id'],
    defines: 'pool',
    assets: ['asset_1_address', 'asset_2_address'],
    fields: fieldsOf(
      poolColumns,
      {
        marketId: { column: 'number' },
        asset_1_address: { column: 'asset1Address', description: 'The address of token A.' },
        asset_1_name: { column: 'asset1Name', description: 'The name of token A.' },
        asset_1_symbol: { column: 'asset1Symbol', description: 'The symbol of token A.' },
        asset_2_address: { column: 'asset2Address', description: 'The address of token B.' },
        asset_2_name: { column: 'asset2Name', description: 'The name of token B.' },
        asset_2_symbol: { column: 'asset2Symbol', description: 'The symbol of token B.' },
        createdTimestamp: { type: 'unix' },
        interestLastUpdated: {
          type: 'unix',
          description: "When the pool's interest was last updated.",
        },
        unit_1_id: { column: 'unit1Id' },
        unit_2_id: { column: 'unit2Id' },
      },
      ['key'],
    ),
  },
  'base-points-revisions': {
    about: 'The history of base points, which count in place of the settings.',
    table: 'base_points_revision',
    key: ['id'],
    dated: 'changedAt',
    fields: fieldsOf(basePointsColumns, {
      id: REVISION,
      deposit: { rule: values.multiplier },
      borrow: { rule: values.multiplier },
      protectedMinLtv: { rule: values.fraction },
    }),
  },
  'multiplier-revisions': {
    about:
      'The history of multipliers. All four factors are null where the multiplier was removed.',
    table: 'multiplier_revision',
    key: ['id'],
    dated: 'changedAt',
    references: { poolAddress: 'pool' },
    fields: fieldsOf(revisionColumns, { id: REVISION, ...factors(required) }),
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
    fields: fieldsOf(
      multiplierColumns,
      {
        id: {
          rule: values.uuid,
          optional: true,
          description: 'The id in the REST API. One is assigned if it is absent.',
        },
        ...factors({}),
        createdAt: {
          optional: true,
          description: 'When the pool first got a multiplier. Now if it is absent.',
        },
        updatedAt: {
          optional: true,
          description: 'When the factors last changed. Now if it is absent and they differ.',
        },
      },
      ['nodeKey'],
    ),
  },
  markets: {
    about: 'A market of one token that users lend and borrow. It is one side of a pool.',
    table: 'market',
    key: ['chainId', 'id'],
    defines: 'market',
    assets: ['assetAddress'],
    references: { poolId: 'pool' },
    fields: fieldsOf(marketColumns, {
      poolId: { column: 'poolAddress', description: 'The pool.' },
      ...asset('market'),
      depositRate,
      borrowRate: { rule: values.rate },
      ...LIMITS,
    }),
    besides: ['pastLimits'],
    check: riskFits,
  },
  thresholds: {
    about:
      'The limits of a stored market alone, for a source that has them apart. They replace ' +
      'those of markets.jsonl. Exports have them there.',
    table: 'market',
    key: ['chainId', 'id'],
    partOf: 'markets',
    references: { id: 'market' },
    fields: fieldsOf({
      chainId,
      id: address('The market.'),
      maxLtv: { ...marketColumns.maxLtv, ...LIMITS.maxLtv },
      liquidationThreshold: { ...marketColumns.liquidationThreshold, rule: values.fraction },
      pastLimits: LIMITS.pastLimits,
    }),
    besides: ['pastLimits'],
    check: riskFits,
  },
  vaults: {
    about: 'A vault that invests one token in several markets.',
    table: 'vault',
    key: ['chainId', 'id'],
    defines: 'vault',
    assets: ['assetAddress'],
    fields: fieldsOf(vaultColumns, {
      ...asset('vault'),
      depositRate,
    }),
  },
  rates: {
    about:
      'The history of rates. An import also records the rates of markets.jsonl and vaults.jsonl.',
    table: 'rate_revision',
    key: ['entityType', 'chainId', 'entityId', 'changedAt'],
    dated: 'changedAt',
    references: { entityId: { kindIn: 'entityType' } },
    fields: fieldsOf({
      entityType: { ...ENTITY_TYPE, description: 'The kind of the entity that has the rates.' },
      chainId,
      entityId: address('The market or the vault.'),
      changedAt: { type: 'moment', description: 'When the rates took effect.' },
      depositRate: { ...marketColumns.depositRate, ...depositRate },
      borrowRate: { ...marketColumns.borrowRate, rule: values.rate, nullable: true },
    }),
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
    fields: fieldsOf({
      chainId,
      assetAddress: address('The token: one of a pool, market or vault.'),
      date: { type: 'date', description: 'The day.' },
      priceUsd: {
        type: 'float',
        rule: values.price,
        description: 'The price of one whole token, in USD.',
      },
      source: { type: 'text', nullable: true, description: 'The origin of the price.' },
      time: {
        type: 'moment',
        nullable: true,
        description: 'The moment of the price, at most a day before or after its day.',
      },
    }),
    check: priceFits,
  },
  tokens: {
    about:
      'The name and the logo of a token, in the words of a [token ' +
      'list](https://tokenlists.org). It replaces the name that pools have. Its other fields ' +
      'are ignored, but for the tags that `movesWith` names. A token that no pool, market or ' +
      'vault has yet is stored too. A line that does not fit, or that repeats a token with ' +
      'another name or logo, is left out; a name that is too long is shortened. The import ' +
      'says how many there are.',
    table: 'token',
    key: ['chainId', 'address'],
    ignored: ['symbol', 'decimals', 'tags', 'extensions'],
    mend: mendToken,
    fields: fieldsOf({
      chainId,
      address: address('The token.'),
      name: { type: 'text', rule: values.name, description: 'The name of the token.' },
      logoURI: {
        type: 'text',
        rule: values.logo,
        nullable: true,
        description:
          'An image as data (PNG, WebP or SVG), or a link. A link is shown if it begins with ' +
          '`https` and LOGO_HOSTS has its host.',
      },
      movesWith: {
        type: 'text',
        rule: values.currency,
        nullable: true,
        description:
          'The currency or token whose price it follows, in capitals: `USD` for a stable token, ' +
          '`ETH` for WETH and wstETH. The tag `stablecoin` of a token list says `USD`, a tag ' +
          '`like_ETH` says `ETH`. If two tokens of a pool do not both have it, 90 daily ' +
          'prices say whether they move together.',
      },
    }),
  },
  users: {
    about: 'The users. Only those without any other record need it.',
    table: '"user"',
    key: ['address'],
    fields: fieldsOf({ address: user }),
  },
  runs: {
    about:
      'The history of runs. Points are decimal strings, as totals may have more digits than a ' +
      'double.',
    table: 'run',
    key: ['id'],
    dated: 'date',
    fields: fieldsOf(
      runColumns,
      {
        id: { description: "The run's number. Later runs have larger numbers." },
        kind: { rule: oneOf('distribution_kind', 'import', 'manualupdate', 'resync', 'update') },
        date: required,
        status: { rule: oneOf('run_status', 'succeeded', 'failed') },
        finishedAt: { nullable: false },
        error: { ...required, rule: values.message },
        multiplierRevision: {
          ...required,
          description: 'The newest revision of multipliers that it used.',
        },
        sources: {
          type: 'json',
          rule: values.receipts,
          description: 'The receipts of what it fetched.',
        },
        ...aroundRun('positionCount', 'Positions of the date'),
        ...aroundRun('accountCount', 'Users with positions on the date'),
        ...aroundRun('totalPoints', 'Points of the date', { type: 'total' }),
      },
      ['ledgerEntries', 'ledgerUsers'],
    ),
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
    fields: fieldsOf(
      positionColumns,
      {
        userAddress: described("The user's address."),
        id: {
          rule: values.name,
          optional: true,
          description:
            'The id in the REST API, unique in the store. One is assigned if it is absent.',
        },
        marketAddress: {
          column: 'poolAddress',
          description: 'The pool: `id` of pools, not of markets.',
        },
        pointsA: {
          optional: true,
          description: 'Points of side A, with `pointsB` or not at all.',
        },
        pointsB: { optional: true, description: 'Points of side B.' },
        points: {
          rule: values.pointsOfBoth,
          optional: true,
          description: 'The sum of both.',
        },
        pointsGiven: {
          column: 'given',
          optional: true,
          description: 'Of exports: whether the points were imported, not computed.',
        },
        runId: { description: 'Of exports: the run that stored the points.' },
        ...side('a'),
        ...side('b'),
      },
      ['poolKey', 'mover'],
    ),
    check: pointsFit,
    doubt: doubtUsd,
  },
  'market-snapshots': {
    about:
      'The amounts of a user in a market at one moment. A closed position ends with a snapshot ' +
      'of zeros.',
    table: 'market_snapshot',
    key: ['accountId', 'chainId', 'marketId', 'timestamp', 'positionId'],
    ...OF_USER,
    references: { marketId: 'market' },
    fields: fieldsOf({
      ...snapshot,
      marketId: address('The market: `id` of markets.'),
      collateralAssets: amount('Collateral that others may borrow'),
      collateralUsd: usd,
      protectedAssets: amount('Collateral that nobody may borrow'),
      protectedUsd: usd,
      debtAssets: amount('Debt'),
      debtUsd: usd,
    }),
  },
  'vault-snapshots': {
    about: 'The amount of a user in a vault at one moment.',
    table: 'vault_snapshot',
    key: ['accountId', 'chainId', 'vaultId', 'timestamp', 'positionId'],
    ...OF_USER,
    references: { vaultId: 'vault' },
    fields: fieldsOf({
      ...snapshot,
      vaultId: address('The vault: `id` of vaults.'),
      shares: {
        type: 'amount',
        description: "Shares of the vault, in the shares' smallest unit.",
      },
      assets: amount('The worth of the shares'),
      assetsUsd: usd,
    }),
  },
  'market-liquidation-rewards': {
    about:
      "A user's share in a defaulting liquidation, which pays a debt of a market by the supply " +
      'of its lenders. The lender has no cash flow for it: see [defaulting ' +
      'liquidations](#defaulting-liquidations).',
    table: 'market_liquidation_reward',
    key: ['chainId', 'txHash', 'logIndex', 'accountId'],
    ...OF_USER,
    references: { debtMarketId: 'market', collateralMarketId: 'market' },
    fields: fieldsOf(
      rewardColumns,
      {
        ...reward,
        debtMarketId: { nullable: false, description: 'The market of the debt.' },
        collateralMarketId: address('The market of the collateral.'),
      },
      ['entityType', 'entityId'],
    ),
  },
  'vault-liquidation-rewards': {
    about: "A user's share in a defaulting liquidation that a vault took part in.",
    table: 'vault_liquidation_reward',
    key: ['chainId', 'txHash', 'logIndex', 'accountId'],
    ...OF_USER,
    references: { vaultId: 'vault' },
    fields: fieldsOf(
      rewardColumns,
      { ...reward, vaultId: { nullable: false, description: 'The vault.' } },
      ['entityType', 'entityId', 'debtMarketId'],
    ),
  },
  liquidations: {
    about:
      'A liquidation of a borrower: a debt was repaid, and collateral was taken for it. Shares ' +
      'of lenders in its reward are in separate files, with the same `txHash`.',
    table: 'liquidation',
    key: ['chainId', 'txHash', 'logIndex'],
    tableKey: ['chainId', 'txHash', 'logIndex', 'borrower'],
    user: 'borrower',
    dated: 'timestamp',
    doubt: doubtTime,
    references: { poolId: 'pool', debtMarketId: 'market', collateralMarketId: 'market' },
    fields: fieldsOf(liquidationColumns, {
      txHash: { rule: values.hash },
      borrower: described('The user whose debt was repaid.'),
      liquidator: described('The address that repaid the debt.'),
      poolId: { column: 'poolAddress', description: 'The pool: `id` of pools.' },
      debtMarketId: described('The market of the debt.'),
      collateralMarketId: described('The market of the collateral, the other side of the pool.'),
      debtRepaid: amount('The debt that was repaid'),
      debtRepaidUsd: usd,
      collateralSeized: amount('The collateral that was taken'),
      collateralSeizedUsd: usd,
    }),
  },
  'cash-flows': {
    about:
      'Money that a user moved. Earnings are what the snapshots are worth now, less what was ' +
      'put in: deposits and repayments less withdrawals and borrowings. Shares that are ' +
      'transferred into a position or out of it are a deposit or a withdrawal too.',
    table: 'cash_flow',
    key: ['chainId', 'txHash', 'logIndex'],
    tableKey: ['chainId', 'txHash', 'logIndex', 'accountId'],
    ...OF_USER,
    references: { entityId: { kindIn: 'entityType' } },
    fields: fieldsOf(
      activityColumns,
      {
        txHash: { rule: values.hash },
        accountId: { column: 'userAddress', description: 'The user.' },
        entityType: ENTITY_TYPE,
        kind: { rule: oneOf('cash_flow_kind', 'deposit', 'withdraw', 'borrow', 'repay') },
        assets: amount('The amount'),
        amountUsd: {
          ...required,
          description:
            'Its worth in USD then, never negative. Null if the price was missing: then profit ' +
            'counts the amount times the price of its day.',
        },
      },
      ['recordType', 'usdIsComputed'],
    ),
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
    fields: fieldsOf(
      ledgerColumns,
      {
        userAddress: described("The user's address."),
        runId: { type: 'int', description: 'The run that changed the points.' },
        poolAddress: address('The pool.'),
        pointsBefore: { type: 'total' },
        pointsAfter: { type: 'total' },
        reasons: {
          type: 'json',
          rule: values.reasons,
          description: 'Why they changed, as far as it is known.',
        },
      },
      ['poolKey'],
    ),
    check: entryFits,
  },
  seasons: {
    about: 'The seasons of the points program. No two share a date.',
    table: 'season',
    key: ['name'],
    fields: fieldsOf(seasonColumns, {
      name: { rule: values.name },
      endsAt: required,
      digest: required,
      closedAt: required,
      changedAt: { description: 'When the season was set.' },
      changedBy: { description: 'Who set it.' },
    }),
    check: seasonFits,
  },
}

/** The column of a field of records, in the table and while they are staged. */
export const columnOf = ({ fields }: RecordFormat, field: string): string =>
  fields[field]?.column ?? field

/** The columns of the key of records. */
export const keyColumns = (format: RecordFormat): string[] =>
  format.key.map((field) => columnOf(format, field))

/** The columns of the key of the table, which may have more. */
export const tableKeyColumns = (format: RecordFormat): string[] =>
  (format.tableKey ?? format.key).map((field) => columnOf(format, field))

/** The columns of fields that are stored as they are staged. */
export const storedColumns = ({ fields, besides = [] }: RecordFormat): string[] =>
  Object.entries(fields)
    .filter(([field]) => !besides.includes(field))
    .map(([, { column }]) => column)

/** The files of the template: all but those that exports alone have. */
export const templateFiles = datasetFiles.filter((file) => file in samples.template)

/** The files that an export writes. */
export const exportedFiles = datasetFiles.filter((file) => !records[file].partOf)

/** The records of a file in the template; an example of one in any other file. */
export function sampleRecords(file: DatasetFile): Record<string, unknown>[] {
  const files: Partial<Record<string, Record<string, unknown>[]>> = {
    ...samples.template,
    ...samples.exports,
  }
  return files[file] ?? []
}
