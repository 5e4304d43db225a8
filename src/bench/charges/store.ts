/** What probes name of a store: its records, and the operations of examples. */
import type { Pool } from 'pg'
import { noValues } from '../../graphql/example-values.ts'
import { examples } from '../../graphql/examples.ts'
import { endpoints } from '../../rest/index.ts'
import {
  sampleAsset,
  sampleMarket,
  samplePool,
  sampleUser,
  sampleVault,
} from '../../sample/index.ts'
import type { Names } from './probes.ts'

export type StoreNames = Omit<Names, 'counts'>

export async function namesOf(pool: Pool): Promise<StoreNames> {
  const { rows: users } = await pool.query('SELECT user_address AS id FROM account ORDER BY rank')
  const { rows: dates } = await pool.query('SELECT date::text FROM distribution ORDER BY date')
  const { rows: pools } = await pool.query('SELECT id FROM pool ORDER BY number')
  const { rows: runs } = await pool.query('SELECT id FROM run ORDER BY id DESC LIMIT 1')
  return {
    users: [sampleUser, ...users.map(({ id }) => id).filter((id) => id !== sampleUser)],
    pools: [
      samplePool.address,
      ...pools.map(({ id }) => id).filter((id) => id !== samplePool.address),
    ],
    market: { chainId: sampleMarket.chainId, address: sampleMarket.address },
    vault: { chainId: sampleVault.chainId, address: sampleVault.address },
    asset: { chainId: sampleMarket.chainId, address: sampleAsset, symbol: 'usdc' },
    dates: dates.map(({ date }) => date),
    run: String(runs[0]?.id ?? 1),
    ids: users.map(({ id }) => Buffer.from(`User:${id}`).toString('base64')),
  }
}

/** The examples of GraphiQL. */
export function operationsOf(names: StoreNames) {
  const { users, pools, market, asset, dates } = names
  const values = {
    ...noValues,
    user: users[0] as string,
    leaders: users.slice(1, 3),
    pool: pools[0] as string,
    market: { ...market, asset },
    dates: {
      first: dates.at(-8) as string,
      week: dates.at(-7) as string,
      last: dates.at(-1) as string,
    },
  }
  return examples
    .filter(({ query }) => !/^subscription/m.test(query))
    .map(({ name, query, variables }) => ({
      name: `example ${name}`,
      query,
      variables: variables?.(values) ?? {},
    }))
}

/** What REST charges for an answer that is computed. */
const READ_COST = 100

/** The endpoints that read. */
export function endpointsOf({ users, market, vault }: StoreNames) {
  const required: Record<string, string> = {
    'market-liquidation-rewards': `?market=${market.address}`,
    'vault-liquidation-rewards': `?vault=${vault.address}`,
  }
  return endpoints
    .filter(([method]) => method === 'GET')
    .map(([, path]) => ({
      name: `GET ${path}`,
      charge: READ_COST,
      path:
        path.replace('{address}', users[0] as string) +
        (required[path.split('/').at(-1) ?? ''] ?? ''),
    }))
}
