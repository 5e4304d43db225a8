import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command, parsed } from '../support/command-line.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { add, headersOf, hooks, PRIVATE, receiver } from '../support/hooks.ts'

/** Hooks in the graph: their list, and the mutations that change them. */

const HOOKS =
  '{ hooks { recordId host events walletCount state waitingCount givenUpCount lastError } }'
const CREATE =
  'mutation Create($input: CreateHookInput!) { createHook(input: $input) ' +
  '{ secret hook { recordId host events chainIds walletCount state } } }'
/** The mutations of one hook. */
const CHANGES = {
  deleteHook: 'recordId',
  testHook: 'messageId',
  rotateHookSecret: 'secret hook { recordId }',
  replayHook: 'replayed hook { waitingCount givenUpCount state }',
}

const send = (gateway: Gateway, query: string, variables: object = {}, headers: object = asAdmin) =>
  fetch(`${gateway.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
const answerOf = async (gateway: Gateway, query: string, variables?: object, headers?: object) =>
  (await send(gateway, query, variables, headers)).json()
const create = (gateway: Gateway, input: object, headers?: object) =>
  answerOf(gateway, CREATE, { input }, headers)
const change = (
  gateway: Gateway,
  name: keyof typeof CHANGES,
  recordId: unknown,
  headers?: object,
) =>
  answerOf(
    gateway,
    `mutation ($input: HookInput!) { ${name}(input: $input) { ${CHANGES[name]} } }`,
    { input: { recordId } },
    headers,
  )
const listed = async (gateway: Gateway) => (await answerOf(gateway, HOOKS)).data.hooks

const WALLET = `0x${'ab'.repeat(20)}`

describe('a hook in the graph', () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ env: PRIVATE })
  })
  afterAll(() => gateway?.close())

  test('is created, listed by its host, tested, rotated and deleted', async () => {
    const place = await receiver()
    const host = new URL(place.base).host
    const input = { url: `${place.base}/secret-path?token=hidden`, events: ['DISTRIBUTION_FAILED'] }
    const created = await send(gateway, CREATE, { input })
    expect(created.headers.get('cache-control')).toBe('no-store')
    const { secret, hook } = (await created.json()).data.createHook
    expect(secret).toMatch(/^whsec_/)
    const { recordId, chainIds } = hook
    expect(chainIds).toBeNull()
    expect(await listed(gateway)).toEqual([
      {
        ...{ recordId, host, events: ['DISTRIBUTION_FAILED'], walletCount: 0 },
        ...{ state: 'IDLE', waitingCount: 0, givenUpCount: 0, lastError: null },
      },
    ])
    const tested = await change(gateway, 'testHook', recordId)
    const ids = place.requests.map((one) => headersOf(one)['webhook-id'])
    expect(ids).toEqual([tested.data.testHook.messageId])
    const rotated = (await change(gateway, 'rotateHookSecret', recordId)).data.rotateHookSecret
    expect(rotated).toMatchObject({ secret: expect.stringMatching(/^whsec_/), hook: { recordId } })
    expect(rotated.secret).not.toBe(secret)
    const deleted = await change(gateway, 'deleteHook', recordId)
    expect(deleted.data.deleteHook).toEqual({ recordId })
    expect(await listed(gateway)).toEqual([])
    const again = await change(gateway, 'deleteHook', recordId)
    expect(again.errors[0]).toMatchObject({
      message: `There is no hook ${recordId}.`,
      extensions: { code: 'NOT_FOUND' },
    })
  })

  test('the list is never cached: it has each change', async () => {
    const ids: string[] = []
    for (const n of [1, 2]) {
      ids.push((await add(gateway, `http://127.0.0.1:9/${n}`)).id)
      expect((await listed(gateway)).map(({ recordId }: { recordId: string }) => recordId)).toEqual(
        ids,
      )
      expect((await answerOf(gateway, HOOKS, {}, {})).errors[0].extensions.code).toBe(
        'UNAUTHENTICATED',
      )
    }
    for (const id of ids) await hooks(gateway, ['remove', id])
    expect(await listed(gateway)).toEqual([])
  })

  test('watches wallets, each once, however they are written', async () => {
    const input = {
      ...{ url: 'https://example.org', wallets: [WALLET, WALLET.toUpperCase().replace('X', 'x')] },
      ...{ health: 1.1, rank: 100, chainIds: [146, 10, 146] },
    }
    const { recordId, ...hook } = (await create(gateway, input)).data.createHook.hook
    expect(hook).toMatchObject({
      events: ['WALLET_HEALTH', 'WALLET_RANK', 'WALLET_LIQUIDATION'],
      chainIds: [146, 10],
      walletCount: 1,
    })
    await change(gateway, 'deleteHook', recordId)
  })

  test('its state and its last error follow its messages, and replay sends its own again', async () => {
    const { pool } = gateway.deps.store
    const ids = [await add(gateway, 'http://127.0.0.1:9/'), await add(gateway, 'http://[::1]:9/')]
    const [id = '', other] = ids.map((one) => one.id)
    const note = (hook: string | undefined, error: string | null, isDead: boolean) =>
      pool.query(
        `INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at, error, dead_at)
         VALUES ($1, 'distribution.failed', 'one', '{}', now(), $2, CASE WHEN $3 THEN now() END)`,
        [hook, error, isDead],
      )
    await note(id, null, false)
    expect(await listed(gateway)).toMatchObject([
      { state: 'SENDING', waitingCount: 1, givenUpCount: 0, lastError: null },
      { state: 'IDLE' },
    ])
    await note(id, 'it answers 500', false)
    await note(id, 'it answers 502', true)
    await note(other, 'it answers 503', true)
    expect(await listed(gateway)).toMatchObject([
      { state: 'FAILING', waitingCount: 2, givenUpCount: 1, lastError: 'it answers 502' },
      { state: 'IDLE', waitingCount: 0, givenUpCount: 1, lastError: 'it answers 503' },
    ])
    const { data } = await change(gateway, 'replayHook', id)
    expect(data.replayHook).toEqual({
      replayed: 1,
      hook: { waitingCount: 3, givenUpCount: 0, state: 'FAILING' },
    })
    expect(await listed(gateway)).toMatchObject([{ givenUpCount: 0 }, { givenUpCount: 1 }])
    const failed = await change(gateway, 'testHook', id)
    expect(failed.errors[0].message).toContain(`The receiver of hook ${id} failed`)
    expect(failed.errors[0].extensions.code).toBe('UNAVAILABLE')
    for (const one of ids) await hooks(gateway, ['remove', one.id])
  })

  test.each([
    ['another URL', { url: 'ftp://example.org' }, 'The URL of a hook begins with'],
    ['no URL', { url: '' }, 'The URL of a hook looks like'],
    ['a long URL', { url: `https://example.org/${'a'.repeat(2000)}` }, 'has at most 2000'],
    ['a name of a cloud', { url: 'http://169.254.169.254/' }, 'The URL of a hook is not allowed'],
    ['events of wallets alone', { events: ['WALLET_LIQUIDATION'] }, 'Wallets need events of'],
    ['an event without its value', { events: ['WALLET_RANK'], wallets: [WALLET] }, 'needs a value'],
    ['a value below 0', { health: -1 }, 'health is a number above 0'],
    ['a chain below 1', { chainIds: [0] }, 'A chain is a whole number'],
    ['too many chains', { chainIds: Array.from({ length: 101 }, (_, n) => n + 1) }, 'at most 100'],
    ['chains alone', { events: ['DISTRIBUTION_FAILED'], chainIds: [1] }, 'Chains are for'],
    ['a value of no event', { rank: 1 }, 'rank is for the event wallet.rank'],
  ])('%s is a BAD_INPUT that says why', async (_, input, why) => {
    const { errors } = await create(gateway, { url: 'https://example.org', ...input })
    expect(errors[0].extensions.code).toBe('BAD_INPUT')
    expect(errors[0].message).toContain(why)
    expect(await listed(gateway)).toEqual([])
  })

  test.each([
    ['an unknown event', { events: ['x'] }],
    ['an unknown field', { secret: 'mine' }],
    ['no wallet', { wallets: ['0x1'] }],
    ['more wallets than a request may have', { wallets: Array(20_001).fill(WALLET), rank: 1 }],
  ])('%s is refused, and nothing is added', async (_, input) => {
    const { data, errors } = await create(gateway, { url: 'https://example.org', ...input })
    expect(data).toBeFalsy()
    expect(errors[0].extensions.code).toBe('BAD_INPUT')
    expect(await listed(gateway)).toEqual([])
  })

  test.each(['0', '99', '9'.repeat(18), '9'.repeat(30)])('there is no hook %s', async (id) => {
    for (const name of Object.keys(CHANGES) as (keyof typeof CHANGES)[]) {
      const [error] = (await change(gateway, name, id)).errors
      expect([name, error.extensions.code]).toEqual([name, 'NOT_FOUND'])
    }
  })

  test('nobody without the right gets in, and nothing changes', async () => {
    const { id } = await add(gateway, 'http://127.0.0.1:9/')
    const env = { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' }
    const keyOf = async (name: string, args: string[]) => ({
      'x-api-key': parsed((await command(['keys', 'add', name, '--json', ...args], env)).out)[0]
        .secret,
    })
    const callers = [
      [{}, 'UNAUTHENTICATED'],
      [{ authorization: 'Bearer wrong-admin-token' }, 'UNAUTHENTICATED'],
      [await keyOf('reader', []), 'FORBIDDEN'],
      [await keyOf('runner', ['--scope', 'runs', 'rules']), 'FORBIDDEN'],
    ] as const
    for (const [headers, code] of callers) {
      const answers = [
        await answerOf(gateway, HOOKS, {}, headers),
        await create(gateway, { url: 'https://example.org' }, headers),
      ]
      for (const name of Object.keys(CHANGES) as (keyof typeof CHANGES)[])
        answers.push(await change(gateway, name, id, headers))
      expect(answers.map(({ errors }) => errors[0].extensions.code)).toEqual(Array(6).fill(code))
    }
    expect(await listed(gateway)).toHaveLength(1)
    const operator = await keyOf('operator', ['--scope', 'hooks'])
    const { data } = await change(gateway, 'deleteHook', id, operator)
    expect(data.deleteHook).toEqual({ recordId: id })
  })

  test('private addresses are refused without HOOKS_PRIVATE', async () => {
    const closed = await startGateway({ on: gateway })
    try {
      const { errors } = await create(closed, { url: 'http://127.0.0.1:9/' })
      expect(errors[0].extensions.code).toBe('BAD_INPUT')
    } finally {
      await closed.close()
    }
  })

  test('no log line has a secret or the URL of a hook', async () => {
    const lines: string[] = []
    const logged = await startGateway({
      on: gateway,
      env: PRIVATE,
      onLog: (line) => lines.push(JSON.stringify(line)),
    })
    try {
      const url = 'http://127.0.0.1:9/secret-path'
      const { secret, hook } = (await create(logged, { url })).data.createHook
      await change(logged, 'rotateHookSecret', hook.recordId)
      await change(logged, 'testHook', hook.recordId)
      await change(logged, 'deleteHook', hook.recordId)
      const text = lines.join('\n')
      expect(text).toContain('a hook was added')
      expect(text).not.toContain('secret-path')
      expect(text).not.toContain('whsec_')
      expect(text).not.toContain(secret)
    } finally {
      await logged.close()
    }
  })
})
