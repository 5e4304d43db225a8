import { LONG } from './extent.ts'
import type { Gateway } from './gateway.ts'
import { send } from './send.ts'

async function answerOf({ base }: Gateway, path: string) {
  const asked = { 'request-id': 'the-same', 'cache-control': 'no-cache' }
  const { status, headers, text } = await send(base + path, { headers: asked })
  return { status, type: headers['content-type'], etag: headers.etag, text }
}

/** Compares the answers to requests, one by one; gives the paths that differ. */
export async function differences(
  source: Gateway,
  copy: Gateway,
  paths: Iterable<string>,
): Promise<string[]> {
  const different: string[] = []
  const queue = [...paths]
  const work = async () => {
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      const [one, other] = await Promise.all([answerOf(source, path), answerOf(copy, path)])
      if (JSON.stringify(one) !== JSON.stringify(other))
        different.push(`${path}\n  ${one.text.slice(0, 2000)}\n  ${other.text.slice(0, 2000)}`)
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  return different
}

export const NOBODY = '0xffffffffffffffffffffffffffffffffffffffff'

/**
 * Requests for all that a store has: each user at each endpoint, pages, chains, and what is not
 * there. A vault that nobody is in can be found by its graph only.
 */
export async function everyRequest(
  { deps }: Gateway,
  { usedVaults = false } = {},
): Promise<string[]> {
  const list = async (sql: string) =>
    (await deps.store.pool.query<{ value: string }>(sql)).rows.map((row) => row.value)
  const users = await list('SELECT user_address AS value FROM "user" ORDER BY 1')
  const pools = await list('SELECT id AS value FROM pool ORDER BY 1')
  const markets = await list('SELECT DISTINCT id AS value FROM market ORDER BY 1')
  const vaults = await list(
    `SELECT DISTINCT id AS value FROM vault
     WHERE NOT ${usedVaults} OR id IN (SELECT vault_id FROM vault_snapshot) ORDER BY 1`,
  )
  const chains = await list(
    'SELECT chain_id AS value FROM market UNION SELECT chain_id FROM vault ORDER BY 1',
  )
  const tokens = await list(
    'SELECT asset_1_address AS value FROM pool UNION SELECT asset_2_address FROM pool',
  )
  const dates = await list(
    `SELECT to_char(date, 'YYYY-MM-DD"T00:00:00.000Z"') AS value FROM distribution ORDER BY 1`,
  )
  const rewarded = new Set(
    await list(`SELECT user_address || ' ' || collateral_market_id AS value FROM market_liquidation_reward
      UNION SELECT user_address || ' ' || vault_id FROM vault_liquidation_reward`),
  )
  const ids = await list('SELECT id AS value FROM position ORDER BY random() LIMIT 5')
  const paths = [
    '/points/leaderboard',
    '/points/userpoints',
    '/points/reports',
    '/pools/all',
    '/multipliers/all',
    '/health',
    '/points/nothing',
    `/v1/users/${NOBODY}/nothing`,
  ]
  for (const kind of ['points', 'positions']) {
    const path = `/${kind}/breakdown-by-assets`
    paths.push(path, `${path}?limit=100`, `${path}?limit=0`, `${path}?cursor=none`)
    for (const token of tokens) paths.push(`${path}?asset=${token}&limit=100`)
    for (const id of ids) paths.push(`${path}?cursor=${id}&limit=7`)
  }
  for (const pool of pools)
    for (const id of ['', ...ids])
      paths.push(`/positions/breakdown-by-markets?market=${pool}&limit=50${id && `&cursor=${id}`}`)
  for (const [number, user] of [...users, NOBODY].entries()) {
    paths.push(
      `/points/leaderboard?account=${user}`,
      `/points/userpoints?account=${user}`,
      `/positions/${user}`,
    )
    paths.push(
      `/points/${user}`,
      `/points/${user}?limit=100`,
      `/points/${user}?limit=2&cursor=${dates[1]}`,
    )
    for (const name of [
      'earnings',
      'net-apr',
      'market-position-snapshots',
      'vault-position-snapshots',
    ]) {
      const path = `/v1/users/${user}/${name}`
      const all = name.endsWith('snapshots') ? 'from_timestamp=0&to_timestamp=99999999999999' : ''
      paths.push(
        path,
        `${path}?page_size=3&page=2&${all}`,
        `${path}?page_size=1000&${all}`,
        `${path}?page=99&${all}`,
      )
      for (const chain of [...chains, '77']) paths.push(`${path}?chain_id=${chain}&${all}`)
    }
    for (const kind of ['market', 'vault']) {
      const path = `/v1/users/${user}/${kind}-position-snapshots?from_timestamp=0&to_timestamp=99999999999999`
      paths.push(`${path}&should_group_by_timestamp=true&page_size=1000`)
      for (const entity of (kind === 'market' ? markets : vaults).slice(0, 3))
        paths.push(`${path}&${kind}=${entity}`)
      const rewards = `/v1/users/${user}/${kind}-liquidation-rewards`
      paths.push(rewards)
      for (const entity of [...(kind === 'market' ? markets : vaults), NOBODY]) {
        const isRewarded = rewarded.has(`${user} ${entity}`)
        if (isRewarded || number % 6 === 0) paths.push(`${rewards}?${kind}=${entity}`)
        if (!isRewarded) continue
        paths.push(`${rewards}?${kind}=${entity}&page_size=1&page=2`)
        for (const chain of chains) paths.push(`${rewards}?${kind}=${entity}&chain_id=${chain}`)
      }
    }
  }
  for (const [kind, entities] of [
    ['market', markets],
    ['vault', vaults],
  ] as const)
    for (const entity of entities)
      for (const chain of [...chains, '77'])
        paths.push(
          `/v1/users/${NOBODY}/${kind}-liquidation-rewards?${kind}=${entity}&chain_id=${chain}`,
        )
  return paths
}

/**
 * Every nth of the requests, unless tests are to be long: one copy is compared whole, and each kind
 * comes often enough.
 */
export const someOf = <T>(requests: T[], nth: number): T[] =>
  requests.filter((_, i) => LONG || i % nth === 0)
