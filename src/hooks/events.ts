/** An event of the store, as a trigger notes it, and a query that reads its state. */
interface EventKind {
  meaning: string
  /** True if a hook that asks for it names wallets. */
  ofWallets?: true
  /** True if it is of one chain, which a hook may choose. */
  ofChain?: true
  /** True if a clock finds it. */
  ofClock?: true
  /** The option with the value that matters. */
  threshold?: 'health' | 'rank' | 'points'
  query: string
  variables(facts: Record<string, unknown>): Record<string, unknown>
}

const RULES =
  'query ($pool: Address!, $from: Date!) { multipliers(asOf: $from, where: { pools: [$pool] }) ' +
  '{ nodes { id poolAddress depositA depositB borrowA borrowB } } }'
const POINTS = 'query ($wallet: Address!) { user(address: $wallet) { rank totalPoints } }'

/** The events that a hook may ask for, by name. */
export const EVENTS: Readonly<Record<string, EventKind>> = {
  'distribution.computed': {
    meaning: 'a run has stored the points of a date',
    query:
      'query ($date: Date!) { distribution(date: $date) ' +
      '{ date kind points positionCount digest finishedAt } }',
    variables: ({ date }) => ({ date }),
  },
  'distribution.failed': {
    meaning: 'a run of a date has failed',
    query:
      'query ($run: BigInt!) { run(recordId: $run) ' +
      '{ kind status date requestedBy error finishedAt } }',
    variables: ({ runId }) => ({ run: runId }),
  },
  'distribution.late': {
    meaning: 'the next distribution is more than 12 hours overdue',
    ofClock: true,
    query: '{ status { nextDistributionDate nextDistributionExpectedAt distributionLate } }',
    variables: () => ({}),
  },
  'data.late': {
    meaning: 'snapshots of a chain or records of an update are more than 12 hours overdue',
    ofClock: true,
    ofChain: true,
    query:
      '{ status { chains { chainId newestRecordAt expectedAt late } ' +
      'legs { leg updatedAt expectedAt late chains { chainId newestRecordAt expectedAt late } } } }',
    variables: () => ({}),
  },
  'rules.announced': {
    meaning: 'a multiplier of dates to come is announced',
    ofChain: true,
    query: RULES,
    variables: ({ pool, from }) => ({ pool, from }),
  },
  'rules.in_force': {
    meaning: 'the first date of a multiplier has come',
    ofClock: true,
    ofChain: true,
    query: RULES,
    variables: ({ pool, from }) => ({ pool, from }),
  },
  'wallet.health': {
    meaning:
      "a wallet's lowest health factor has fallen below the value that matters, or has recovered",
    ofWallets: true,
    ofChain: true,
    threshold: 'health',
    query:
      'query ($wallet: Address!, $date: Date, $chainIds: [SafeInt!]) { user(address: $wallet) ' +
      '{ positions(asOf: $date, where: { chainIds: $chainIds }, orderBy: [HEALTH_FACTOR], first: 10) ' +
      '{ nodes { id poolAddress healthFactor } } } }',
    variables: ({ wallet, date, chainIds }) => ({ wallet, date, chainIds }),
  },
  'wallet.rank': {
    meaning: "a wallet's rank has passed the value that matters, up or down",
    ofWallets: true,
    threshold: 'rank',
    query: POINTS,
    variables: ({ wallet }) => ({ wallet }),
  },
  'wallet.points': {
    meaning: "a wallet's points have passed the value that matters, up or down",
    ofWallets: true,
    threshold: 'points',
    query: POINTS,
    variables: ({ wallet }) => ({ wallet }),
  },
  'wallet.liquidation': {
    meaning: 'a liquidation of a wallet is stored',
    ofWallets: true,
    ofChain: true,
    query:
      'query ($wallet: Address!, $transaction: String!) ' +
      '{ liquidations(where: { users: [$wallet], transactions: [$transaction] }) ' +
      '{ nodes { id txHash time debtRepaid { usd } collateralSeized { usd } } } }',
    variables: ({ wallet, transaction }) => ({ wallet, transaction }),
  },
}

/** The body of a message: the same at each attempt. */
export function bodyOf(event: string, occurredAt: Date, facts: Record<string, unknown>): string {
  const { query, variables } = EVENTS[event] ?? TEST
  return JSON.stringify({
    type: event,
    timestamp: occurredAt.toISOString(),
    data: facts,
    graphql: { query, variables: variables(facts) },
  })
}

const TEST: Omit<EventKind, 'meaning'> = { query: '{ __typename }', variables: () => ({}) }
