import { sqlFields } from 'pothos-sql'
import { newestDistribution } from '../../../domain/distribution/distribution.ts'
import { GatewayError } from '../../../errors.ts'
import { isoDay } from '../../../time.ts'
import type { GraphContext } from '../../context.ts'
import type { ChangeEvent } from '../../live/live.ts'
import { MAX_WAITING, type RunEvent } from '../../live/runs.ts'
import type { LiveRoot } from '../../live/subscribe.ts'
import type { Builder } from '../builder.ts'
import { RARE } from './charges.ts'
import { distributionAt } from './distribution.ts'
import { loadRun } from './run.ts'

export function addLive(builder: Builder, Query: ReturnType<Builder['queryType']>): void {
  builder.subscriptionType({
    description:
      'Live updates over server-sent events (`accept: text/event-stream`). Every gateway on ' +
      'the database reports every change, whoever made it. Each event is read from one ' +
      'database snapshot, so its numbers always agree.',
  })

  const DataChange = builder.objectRef<{ version: bigint }>('DataChange').implement({
    description: 'The stored data after a change.',
    fields: (t) => ({
      version: t.expose('version', {
        type: 'BigInt',
        description: 'The data version of the event. Each writing transaction raises it.',
      }),
      distribution: t.field({
        type: 'Distribution',
        nullable: true,
        description: 'The newest distribution. Null if no positions are stored.',
        resolve: (_, __, { reader }) => newestDistribution(reader),
      }),
      query: t.field({
        type: Query,
        description: 'Any query, answered from this version of the data after each change.',
        resolve: () => ({}),
      }),
    }),
  })

  builder.objectField('Run', 'distribution', (t) =>
    t.field({
      type: 'Distribution',
      nullable: true,
      description: "The distribution of the run's date as stored now. Null if none is.",
      ...sqlFields.lookup(distributionAt, ['date'], { cost: RARE }),
    }),
  )

  builder.subscriptionFields((t) => ({
    distributionComputed: t.field({
      type: 'Run',
      description:
        'Each successful run of any kind, reported once. A run that ends while the gateway has ' +
        'lost its connection to the database is reported as soon as the connection is back. A ' +
        `client that falls more than ${MAX_WAITING} runs behind misses the oldest ones.`,
      args: {
        date: t.arg({
          type: 'Date',
          description: 'Only runs for this distribution date. Defaults to all dates.',
        }),
      },
      subscribe: (_, { date }, context) =>
        liveOf(context).runs(date ? isoDay(date) : undefined) as AsyncIterable<never>,
      resolve: async (root: unknown, _, context) => {
        const { id } = (root as LiveRoot<RunEvent>).event
        const run = await loadRun(context, id)
        if (!run) throw new GatewayError('NOT_FOUND', `Run ${id} is no longer stored.`)
        return run
      },
    }),
    dataChanged: t.field({
      type: DataChange,
      description:
        'One event at the start, then one after every change of the stored data. Changes ' +
        'within a quarter of a second share an event, as do all changes that happen while the ' +
        'client is busy. After the gateway has lost its connection to the database there is an ' +
        'event even if nothing has changed.',
      subscribe: (_, __, context) => liveOf(context).changes() as AsyncIterable<never>,
      resolve: (root: unknown) => ({ version: (root as LiveRoot<ChangeEvent>).version }),
    }),
  }))
}

function liveOf({ deps }: GraphContext) {
  if (!deps.live) throw new Error('a subscription needs deps.live')
  return deps.live
}
