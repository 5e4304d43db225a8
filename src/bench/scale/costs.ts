/**
 * What each kind of request costs, computed and from the cache; what the model of model.ts makes of
 * it; and the model's own prediction next to a measured mix of requests.
 */
import { join } from 'node:path'
import pg from 'pg'
import { round } from '../report.ts'
import { openSpeedStore, SHAPES } from '../speed/data.ts'
import { wire } from '../speed/load.ts'
import { figuresOf, measure } from '../speed/measure.ts'
import { operationsOn } from '../speed/operations.ts'
import { pinRest, startProduct } from '../speed/processes.ts'
import { ASSUMED, type Costs, DAY_OF_A_USER, meanCost, sized } from './model.ts'
import type { Part } from './part.ts'

const CONNECTIONS = 16
const USERS = [1_000, 100_000, 10_000_000]
/** Bytes of a position with its points and of a market snapshot, indexes included. */
const BYTES = { position: 850, snapshot: 620 }

export async function costs({ small, seconds, data, say, report }: Part): Promise<void> {
  const size = small ? 'small' : 'full'
  const shape = SHAPES[size]
  const store = await openSpeedStore(shape, join(data, size), say)
  const client = new pg.Client({ connectionString: store.url })
  await client.connect()
  pinRest(store.pid)
  const uncached = await startProduct(store.url, { CACHE_MAX_BYTES: '0' })
  const cached = await startProduct(store.url)
  try {
    const positions = (
      await client.query('SELECT id, pool_address AS market FROM position ORDER BY id LIMIT 100')
    ).rows
    const operations = operationsOn({ names: store.names, positions, count: 100 })
    const requestsOf = (name: string) => {
      const operation = operations.find((one) => one.name === name)
      if (!operation) throw new Error(`there is no operation "${name}"`)
      return operation.variants.map((values) => wire(operation.product(values)))
    }
    const timing = { seconds, rounds: 3, postmaster: store.pid }

    const costs: Record<string, Costs> = {}
    for (const { operation } of DAY_OF_A_USER) {
      say(operation)
      const requests = requestsOf(operation)
      const cells = await measure(
        [
          { name: 'uncached', server: uncached, requests },
          { name: 'cached', server: cached, requests },
        ],
        CONNECTIONS,
        timing,
      )
      const { server, postgres } = figuresOf(cells.uncached as never)
      costs[operation] = {
        gateway: server,
        postgres,
        cached: figuresOf(cells.cached as never).server,
      }
    }

    say('the mix')
    const mixed = shuffled(
      DAY_OF_A_USER.flatMap(({ operation, perDay }) => {
        const requests = requestsOf(operation)
        return Array.from(
          { length: 20 * perDay },
          (_, i) => requests[i % requests.length] as Buffer,
        )
      }),
    )
    const cells = await measure(
      [{ name: 'mix', server: uncached, requests: mixed }],
      CONNECTIONS,
      timing,
    )
    const measured = figuresOf(cells.mix as never)
    const predicted = meanCost(costs)

    report('costs of a request, in microseconds of CPU', { ...shape, seconds }, rowsOf(costs), [])
    const sizes = USERS.map((users) => sized(users, costs, BYTES))
    const names = Object.keys(sizes[0] as object).slice(1) as (keyof (typeof sizes)[0])[]
    report(
      'sizes',
      ASSUMED,
      names.map((name) => ({
        'daily users': name,
        ...Object.fromEntries(
          sizes.map((one) => [one['daily users'].toLocaleString('en'), figure(one[name])]),
        ),
      })),
      [],
    )
    report(
      'the model beside a measured mix of requests, none from the cache',
      {},
      (['gateway', 'postgres'] as const).map((part) => ({
        'microseconds of CPU a request': part,
        predicted: round(predicted[part], 0),
        measured: round(measured[part === 'gateway' ? 'server' : 'postgres'], 0),
      })),
      [
        {
          name: 'measured to predicted, gateway',
          value: measured.server / predicted.gateway,
          atMost: 1.25,
        },
        {
          name: 'predicted to measured, gateway',
          value: predicted.gateway / measured.server,
          atMost: 1.25,
        },
        {
          name: 'measured to predicted, Postgres',
          value: measured.postgres / predicted.postgres,
          atMost: 1.25,
        },
        {
          name: 'predicted to measured, Postgres',
          value: predicted.postgres / measured.postgres,
          atMost: 1.25,
        },
      ],
    )
  } finally {
    await client.end()
    await uncached.stop()
    await cached.stop()
    await store.close()
  }
}

function rowsOf(costs: Record<string, Costs>) {
  return Object.entries(costs).map(([operation, cost]) => ({ operation, ...cost }))
}

function figure(value: number): string {
  return (value < 10 && !Number.isInteger(value) ? round(value) : Math.round(value)).toLocaleString(
    'en',
  )
}

/** In an order that is the same in every run. */
function shuffled<T>(list: T[]): T[] {
  return list
    .map((one, i) => ({ one, at: (i * 7919) % 10_007 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)
}
