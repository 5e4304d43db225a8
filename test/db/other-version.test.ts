import { afterEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { loadSample } from '../support/sample.ts'

const MESSAGE =
  'The tables of the store are not those of this version of the gateway: its operator has to update it.'
const LEADERS = '{ leaderboard(first: 1) { nodes { points } } }'

let gateway: Gateway
afterEach(() => gateway.close())

test.each([
  [
    'a table',
    true,
    'ALTER TABLE account RENAME TO renamed',
    'ALTER TABLE renamed RENAME TO account',
  ],
  [
    'a table, without plans',
    false,
    'ALTER TABLE account RENAME TO renamed',
    'ALTER TABLE renamed RENAME TO account',
  ],
  [
    'a column',
    true,
    'ALTER TABLE account RENAME COLUMN points TO renamed',
    'ALTER TABLE account RENAME COLUMN renamed TO points',
  ],
])(
  'without %s, which a newer gateway has changed, it says so (plans: %s)',
  async (_, plan, change, undo) => {
    gateway = await startGateway({ plan })
    await loadSample(gateway, { users: 3, days: 2 })
    const { pool } = gateway.deps.store
    await pool.query(change)
    const response = await gateway.get('/points/leaderboard')
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).not.toBeNull()
    expect(await response.json()).toMatchObject({ detail: MESSAGE })
    const { errors } = await gateway.graphql(LEADERS)
    expect(errors).toMatchObject([{ message: MESSAGE, extensions: { code: 'UNAVAILABLE' } }])
    await pool.query(undo)
    expect((await gateway.get('/points/leaderboard')).status).toBe(200)
    expect(await gateway.graphql(LEADERS)).not.toHaveProperty('errors')
  },
)
