import { join } from 'node:path'
import { expect, test } from 'vitest'
import { distribute } from '../../src/db/topology/distribute.ts'
import { ROOT } from '../docs/markdown.ts'
import { NO_CITUS, openCitusStore } from '../support/citus.ts'
import { command, parsed } from '../support/command-line.ts'

test.skipIf(NO_CITUS !== '')(
  `a cluster's stored sums are compared and restored${NO_CITUS}`,
  async () => {
    const store = await openCitusStore()
    const env = { DATABASE_URL: store.url }
    const sums = async () => {
      const { out } = await command(['doctor', '--deep', '--json'], env)
      return parsed(out).find(({ check }) => check === 'sums')
    }
    const accounts = async () =>
      (
        await store.pool.query(
          'SELECT user_address, points, rank FROM account ORDER BY user_address',
        )
      ).rows
    try {
      expect(await command(['import', join(ROOT, 'test/fixtures/contract')], env)).toMatchObject({
        code: 0,
      })
      await distribute(store.url)
      const before = await accounts()
      expect(await sums()).toMatchObject({ status: 'ok' })
      expect((await command(['rebuild'], env)).out).toMatch(/Every stored sum was right\.\n$/)
      for (const spoiled of [
        'UPDATE account SET rank = 1',
        'UPDATE account_day SET points = points + 5',
        'DELETE FROM pool_day',
        'DELETE FROM market_holding',
        'UPDATE vault_day SET assets = 0',
      ])
        await store.pool.query(spoiled)
      expect(await sums()).toMatchObject({
        status: 'problem',
        message: expect.stringContaining('holdings'),
      })
      expect(await command(['rebuild'], env)).toMatchObject({ code: 0, err: '' })
      expect(await sums()).toMatchObject({ status: 'ok' })
      expect(await accounts()).toEqual(before)
    } finally {
      await store.close()
    }
  },
)
