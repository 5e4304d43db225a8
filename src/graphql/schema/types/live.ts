import { isoDate } from '../../../domain/position/position.ts'
import { GatewayError } from '../../../errors.ts'
import type { GraphContext } from '../../execution/context.ts'
import { type ChangeEvent, MAX_WAITING, type RunEvent } from '../../live/live.ts'
import type { LiveRoot } from '../../live/subscribe.ts'
import type { Builder } from '../builder.ts'
import { type DistributionRef, distributionAt, newestDistribution } from './distribution.ts'
import { loadRun, type RunRefs } from './run.ts'

interface Refs extends Pick<RunRefs, 'Run'> {
  Query: ReturnType<Builder['queryType']>
  Distribution: DistributionRef
}

export function addLive(builder: Builder, { Query, Run, Distribution }: Refs): void {
  builder.subscriptionType({
    description:
      'What is told as it happens, over server-sent events (`accept: text/event-stream`), by every gateway on the store, whoever changed it. Everything in one event belongs to one snapshot of the store.',
  })

  const DataChange = builder.objectRef<{ version: bigint }>('DataChange').implement({
    description: 'The stored data as it is after a change.',
    fields: (t) => ({
      version: t.expose('version', {
        type: 'BigInt',
        description: 'The data version that the event was read from: it grows with every transaction that writes.',
      }),
      distribution: t.field({
        type: Distribution,
        nullable: true,
        description: 'The newest distribution; null in a store without positions.',
        resolve: (_, __, context) => newestDistribution(context),
      }),
      query: t.field({
        type: Query,
        description: 'Anything else to read at this version: a query that is answered anew with every change.',
        resolve: () => ({}),
      }),
    }),
  })

  builder.objectField(Run, 'distribution', (t) =>
    t.field({
      type: Distribution,
      nullable: true,
      description: 'The distribution of its date as it is stored now; null where none is.',
      resolve: ({ date }, _, context) => (date ? context.batches.load(distributionAt.load, [date]) : null),
    }),
  )

  builder.subscriptionFields((t) => ({
    distributionComputed: t.field({
      type: Run,
      description: `A run that has succeeded, of whichever kind, once for each. One that ended while the gateway could not hear the store is told as soon as it can. A client that is more than ${MAX_WAITING} runs behind misses the oldest.`,
      args: {
        date: t.arg({ type: 'DateTime', description: 'Only runs of this distribution date; all when left out.' }),
      },
      subscribe: (_, { date }, context) =>
        liveOf(context).runs(date ? isoDate(date) : undefined) as AsyncIterable<never>,
      resolve: async (root: unknown, _, context) => {
        const { id } = (root as LiveRoot<RunEvent>).event
        const run = await loadRun(context, id)
        if (!run) throw new GatewayError('NOT_FOUND', `Run ${id} is not stored any more.`)
        return run
      },
    }),
    dataChanged: t.field({
      type: DataChange,
      description:
        'One event at once, so that a client knows where it stands, and one after every change of the stored data: all changes within a quarter of a second are one event, and so are all that happened while the client was busy. After the gateway lost touch with the store there is an event even if nothing has changed.',
      subscribe: (_, __, context) => liveOf(context).changes() as AsyncIterable<never>,
      resolve: (root: unknown) => ({ version: (root as LiveRoot<ChangeEvent>).version }),
    }),
  }))
}

function liveOf({ deps }: GraphContext) {
  if (!deps.live) throw new Error('a subscription without anything live')
  return deps.live
}
