import { type GraphContext, requireAdmin } from '../graphql/context.ts'
import type { Builder } from '../graphql/schema/builder.ts'
import { EVENTS } from './events.ts'
import {
  addHook,
  type Hook as HookRow,
  isId,
  listHooks,
  readHook,
  removeHook,
  rotateSecret,
  unknownHook,
} from './hook.ts'
import { replay } from './outbox.ts'
import { sendTest } from './send-test.ts'

/** Adds hooks to the graph: their list, and the mutations that change them. */
export function addHookTypes(builder: Builder): void {
  const HookEvent = builder.enumType('HookEvent', {
    description: 'An event that a hook may receive. Messages have its name as their `type`.',
    values: Object.fromEntries(
      Object.entries(EVENTS).map(([name, { meaning }]) => [
        name.toUpperCase().replace('.', '_'),
        { value: name, description: `\`${name}\`: ${meaning}.` },
      ]),
    ),
  })
  const HookState = builder.enumType('HookState', {
    description: 'The state of a hook.',
    values: {
      IDLE: { value: 'idle', description: 'No message waits.' },
      SENDING: { value: 'sending', description: 'Messages wait, none of which has failed.' },
      FAILING: {
        value: 'failing',
        description: 'A message has failed and waits for another attempt.',
      },
    } as const,
  })
  const Hook = builder.objectRef<HookRow>('Hook').implement({
    description: 'A receiver of signed messages. Its URL and its secret are not shown.',
    fields: (t) => ({
      recordId: t.field({
        type: 'BigInt',
        description: 'The number of the hook.',
        resolve: ({ id }) => id,
      }),
      host: t.string({
        description: 'The host of its URL, with the port. The path may be a secret.',
        resolve: ({ url }) => new URL(url).host,
      }),
      events: t.expose('events', {
        type: [HookEvent],
        description: 'The events that it receives.',
      }),
      chainIds: t.field({
        type: ['SafeInt'],
        nullable: true,
        description: 'The chains of the events that are of one. Null for all.',
        resolve: ({ chainIds }) => chainIds,
      }),
      walletCount: t.exposeInt('wallets', { description: 'Number of wallets that it watches.' }),
      state: t.expose('state', { type: HookState, description: 'Its state now.' }),
      waitingCount: t.exposeInt('waiting', {
        description: 'Number of messages that wait, also for another attempt. At most 10,000.',
      }),
      givenUpCount: t.exposeInt('dead', {
        description:
          'Number of messages that were given up after a day. At most 10,000 with those that wait.',
      }),
      lastError: t.exposeString('lastError', {
        nullable: true,
        description:
          'Why the newest message that failed did so, of those that wait or were given up. Null ' +
          'if none of them has failed.',
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    }),
  })

  builder.queryFields((t) => ({
    hooks: t.field({
      type: [Hook],
      description:
        'All hooks, in the order in which they were added: at most 1,000. Requires the admin token.',
      extensions: {
        volatile: true,
        cost: { weight: 500, rows: 1000 },
        unplanned: 'Admins read it, rarely.',
      },
      resolve: (_, __, context) => listHooks(adminOf(context).pool),
    }),
  }))

  const CreateInput = builder.inputType('CreateHookInput', {
    description: 'The input of `createHook`.',
    fields: (t) => ({
      url: t.string({
        required: true,
        description:
          'The URL that receives the messages: HTTPS and a public address, unless the setting ' +
          'HOOKS_PRIVATE allows others.',
      }),
      events: t.field({
        type: [HookEvent],
        description:
          'The events to receive. By default all events of wallets whose value is set if there ' +
          'are wallets, else all other events.',
      }),
      chainIds: t.field({
        type: ['SafeInt'],
        description:
          'The chains of the events that are of one, such as DATA_LATE and WALLET_HEALTH, up to 100. ' +
          'By default all.',
      }),
      wallets: t.field({
        type: ['Address'],
        description: 'The wallets to watch. By default none.',
      }),
      health: t.float({
        description: 'The health factor of WALLET_HEALTH, such as 1.1. It is above 0.',
      }),
      rank: t.int({ description: 'The rank of WALLET_RANK, such as 100. It is above 0.' }),
      points: t.float({ description: 'The points of WALLET_POINTS. They are above 0.' }),
    }),
  })
  const HookInput = builder.inputType('HookInput', {
    description: 'The input of mutations of one hook.',
    fields: (t) => ({
      recordId: t.field({
        type: 'BigInt',
        required: true,
        description: 'The number of the hook.',
      }),
    }),
  })
  const hook = { type: Hook, description: 'The hook after the change.' } as const
  const secret = (when: string) =>
    ({ description: `The secret that signs its messages. ${when}` }) as const
  const CreatePayload = builder
    .objectRef<{ hook: HookRow; secret: string }>('CreateHookPayload')
    .implement({
      description: 'The hook that `createHook` has added.',
      fields: (t) => ({
        hook: t.expose('hook', hook),
        secret: t.exposeString('secret', secret('No other answer has it.')),
      }),
    })
  const RotatePayload = builder
    .objectRef<{ hook: HookRow; secret: string }>('RotateHookSecretPayload')
    .implement({
      description: 'The hook whose secret `rotateHookSecret` has replaced.',
      fields: (t) => ({
        hook: t.expose('hook', hook),
        secret: t.exposeString(
          'secret',
          secret('The previous one signs too, for 24 hours. No other answer has it.'),
        ),
      }),
    })
  const DeletePayload = builder.objectRef<{ id: string }>('DeleteHookPayload').implement({
    description: 'The hook that `deleteHook` has removed.',
    fields: (t) => ({
      recordId: t.field({
        type: 'BigInt',
        description: 'The number that the hook had. No other hook gets it.',
        resolve: ({ id }) => id,
      }),
    }),
  })
  const TestPayload = builder.objectRef<{ messageId: string }>('TestHookPayload').implement({
    description: 'The message that `testHook` has sent.',
    fields: (t) => ({
      messageId: t.exposeString('messageId', {
        description: 'The id of the message, which its header `webhook-id` has.',
      }),
    }),
  })
  const ReplayPayload = builder
    .objectRef<{ hook: HookRow; replayed: number }>('ReplayHookPayload')
    .implement({
      description: 'The messages that `replayHook` sends again.',
      fields: (t) => ({
        hook: t.expose('hook', hook),
        replayed: t.exposeInt('replayed', {
          description: 'Number of messages that are sent again. 0 if none was given up.',
        }),
      }),
    })

  builder.mutationFields((t) => {
    const input = t.arg({ type: HookInput, required: true, description: 'The hook.' })
    return {
      createHook: t.field({
        type: CreatePayload,
        extensions: { cost: { weight: createCost } },
        description:
          'Adds a hook, which receives signed messages from now on. There are at most 1,000. ' +
          'Requires the admin token.',
        args: {
          input: t.arg({ type: CreateInput, required: true, description: 'The new hook.' }),
        },
        resolve: async (_, { input }, context) => {
          const { pool, note } = adminOf(context)
          const { url, events, chainIds, wallets, health, rank, points } = input
          const { id, secret } = await addHook(pool, {
            url,
            events: events ?? [],
            chainIds: chainIds?.map(Number) ?? [],
            wallets: wallets ?? [],
            thresholds: {
              health: health ?? undefined,
              rank: rank ?? undefined,
              points: points ?? undefined,
            },
            allowsPrivate: context.deps.config.HOOKS_PRIVATE ?? false,
          })
          note(id, 'a hook was added')
          return { hook: await readHook(pool, id), secret }
        },
      }),
      deleteHook: t.field({
        type: DeletePayload,
        description: 'Removes a hook and its messages for good. Requires the admin token.',
        args: { input },
        resolve: async (_, { input }, context) => {
          const { pool, note } = adminOf(context)
          const id = readId(input)
          await removeHook(pool, id)
          note(id, 'a hook was removed')
          return { id }
        },
      }),
      testHook: t.field({
        type: TestPayload,
        extensions: { cost: { weight: 100 } },
        description:
          'Sends a message of the type `test`, once, and waits at most 10 seconds. The error ' +
          'UNAVAILABLE has the reason if the receiver fails. Requires the admin token.',
        args: { input },
        resolve: async (_, { input }, context) => {
          const { pool } = adminOf(context)
          const { config, now } = context.deps
          const { HOOKS_PRIVATE = false } = config
          const deps = { config: { HOOKS_PRIVATE }, pool, now }
          return { messageId: await sendTest(deps, readId(input)) }
        },
      }),
      rotateHookSecret: t.field({
        type: RotatePayload,
        description:
          'Gives a hook a new secret. For 24 hours the previous one signs too. Requires the ' +
          'admin token.',
        args: { input },
        resolve: async (_, { input }, context) => {
          const { pool, note } = adminOf(context)
          const id = readId(input)
          const secret = await rotateSecret(pool, id, context.deps.now())
          note(id, 'the secret of a hook was rotated')
          return { hook: await readHook(pool, id), secret }
        },
      }),
      replayHook: t.field({
        type: ReplayPayload,
        description:
          'Sends all messages of a hook again that were given up. Requires the admin token.',
        args: { input },
        resolve: async (_, { input }, context) => {
          const { pool, note } = adminOf(context)
          const { id } = await readHook(pool, readId(input))
          const replayed = await replay(pool, { hook: id })
          note(id, 'messages of a hook are sent again')
          return { hook: await readHook(pool, id), replayed }
        },
      }),
    }
  })
}

// The pool of a caller who may change hooks, and a log of what was changed.
function adminOf({ admin: caller, deps: { log, store } }: GraphContext) {
  const admin = requireAdmin(caller, 'hooks')
  const note = (hook: string, change: string) => log.info({ admin, hook }, change)
  return { pool: store.pool, note }
}

function readId({ recordId }: { recordId: bigint }): string {
  const id = String(recordId)
  if (!isId(id)) throw unknownHook(id.slice(0, 60))
  return id
}

// Each wallet is a row for each of its events.
function createCost({ input }: Readonly<Record<string, unknown>>): number {
  const { wallets } = (input ?? {}) as { wallets?: unknown }
  return 50 + [wallets ?? []].flat().length
}
