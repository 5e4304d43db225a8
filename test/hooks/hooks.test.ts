import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { take } from '../../src/hooks/outbox.ts'
import { openPost } from '../../src/hooks/post.ts'
import { ROOT, readDocument } from '../docs/markdown.ts'
import { command, parsed, serve } from '../support/command-line.ts'
import { asAdmin, type Gateway } from '../support/gateway.ts'
import {
  add,
  bodyOf,
  closing,
  headersOf,
  hooks,
  idOf,
  must,
  open,
  opened,
  PRIVATE,
  receiver,
  sendFor,
  until,
} from '../support/hooks.ts'
import type { SourceRequest } from '../support/positions-server.ts'
import { loadSample, startOnSample } from '../support/sample.ts'

/** Hooks: what receivers get, and what they may do to the sender. */

/** A run of a date begins and ends. */
async function endRun({ deps }: Gateway, date: string, status = 'succeeded'): Promise<void> {
  const { pool } = deps.store
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO run (kind, date, status, requested_by, started_at, base_deposit, base_borrow)
     VALUES ('resync', $1, 'running', 'test', now(), 1, 0.5) RETURNING id`,
    [date],
  )
  await pool.query('UPDATE run SET status = $2, finished_at = now() WHERE id = $1', [
    rows[0]?.id,
    status,
  ])
}

describe('messages', () => {
  test('the steps of the guide end with a message of a computed date', async () => {
    const gateway = await opened(startOnSample({ users: 4, days: 3, env: PRIVATE }))
    sendFor(gateway)
    const place = await receiver()
    await place.close()
    const { secret } = await add(gateway, place.base)
    const room = await receiver()
    const port = new URL(place.base).port
    const code = readDocument('src/docs/alerts.md').blocks.find(({ language }) => language === 'js')
    const args = ['--input-type=module', '-e', code?.text ?? '', '--', 'receiver.mjs', secret, port]
    const child = spawn(process.execPath, [...args, room.base], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    closing.push(() => child.kill())
    let printed = ''
    child.stdout.on('data', (data) => {
      printed += data
    })
    await until(() => expect(printed).toContain('receiving on'))
    await command(['resync'], { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' })
    await until(() => expect(printed).toMatch(/computed: .* for \d accounts \(resync, run \d+\)/))
    await until(() => expect(room.requests).toHaveLength(1))
    const { text } = bodyOf(room.requests[0] as SourceRequest)
    expect(printed).toContain(text)
    expect(text).toContain('distribution.computed')
    child.kill()
    await once(child, 'close')
  })

  test('a message is signed, and its query reads the state of its event', async () => {
    const broken = {
      name: 'broken',
      positions: () => Promise.reject(new Error('the indexer is down')),
    }
    const options = { users: 4, days: 3, env: PRIVATE, positionsSource: broken as never }
    const gateway = await opened(startOnSample(options))
    const place = await receiver()
    const { secret } = await add(gateway, place.base)
    const { distributions } = await gateway.ask('{ distributions(first: 1) { nodes { date } } }')
    const [{ date }] = distributions.nodes
    sendFor(gateway)
    const run = (field: string) =>
      gateway.graphql(
        `mutation ($date: Date!) { ${field}(input: { date: $date }) { __typename } }`,
        { date },
        asAdmin,
      )
    await run('resyncDistribution')
    await run('updateDistribution')
    await until(() => expect(place.requests).toHaveLength(2))
    const [computed, failed] = place.requests.map((one) => {
      new Webhook(secret).verify(one.body, headersOf(one))
      return bodyOf(one)
    })
    expect(computed).toMatchObject({ type: 'distribution.computed', data: { date, error: null } })
    const { query, variables } = computed.graphql
    const answer = await gateway.ask(query, variables)
    expect(answer.distribution.points).toBe(computed.data.points)
    expect(failed).toMatchObject({ type: 'distribution.failed', data: { date, points: null } })
    const state = await gateway.ask(failed.graphql.query, failed.graphql.variables)
    expect(state.run).toMatchObject({ status: 'FAILED', error: failed.data.error })
  })

  test('a hook gets the events that it asks for, and none of those before it was added', async () => {
    const gateway = await open()
    const place = await receiver()
    await endRun(gateway, '2026-01-01', 'failed')
    await must(gateway, ['add', place.base, '--event', 'distribution.failed'])
    await endRun(gateway, '2026-01-02')
    await endRun(gateway, '2026-01-03', 'failed')
    sendFor(gateway)
    await until(() => expect(place.requests).toHaveLength(1))
    expect(bodyOf(place.requests[0] as SourceRequest).data.date).toBe('2026-01-03')
  })

  test('an import of many dates sends the newest one', async () => {
    const gateway = await open()
    const place = await receiver()
    await add(gateway, place.base)
    await loadSample(gateway, { users: 4, days: 3 })
    sendFor(gateway)
    await until(() => expect(place.requests).toHaveLength(1))
    const { distributions } = await gateway.ask('{ distributions { nodes { date } } }')
    expect(distributions.nodes.length).toBeGreaterThan(1)
    expect(bodyOf(place.requests[0] as SourceRequest).data.date).toBe(distributions.nodes[0].date)
  })
})

describe('failures', () => {
  test('after a day of 500 a message is given up, listed, and replayed with its id', async () => {
    let clock = Date.now()
    let isDown = true
    const gateway = await open({ now: () => new Date(clock) })
    const place = await receiver((_, response) => response.writeHead(isDown ? 500 : 200).end())
    const ticks = setInterval(() => {
      clock += 600_000
    }, 20)
    closing.push(() => clearInterval(ticks))
    const { id } = await add(gateway, place.base)
    await endRun(gateway, '2026-01-01')
    sendFor(gateway)
    const dead = async () => parsed(await must(gateway, ['dead', '--json']))
    await until(async () => expect(await dead()).toHaveLength(1))
    const attempts = place.requests.length
    expect(attempts).toBeGreaterThan(10)
    expect(await dead()).toMatchObject([{ hook: id, attempts, error: 'it answers 500' }])
    expect(parsed(await must(gateway, ['list', '--json']))).toMatchObject([{ id, dead: 1 }])
    isDown = false
    await must(gateway, ['replay'])
    await until(async () => expect(await dead()).toHaveLength(0))
    await until(() => expect(place.requests).toHaveLength(attempts + 1))
    expect(new Set(place.requests.map(idOf)).size).toBe(1)
    const numbers = place.requests.map(({ headers }) => Number(headers['webhook-attempt']))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  test('a replayed message that fails again holds up later ones of its wallet for 5 seconds', async () => {
    let clock = Date.now()
    const gateway = await open({ now: () => new Date(clock) })
    const place = await receiver((_, response, number) =>
      response.writeHead(number === 1 ? 500 : 200).end(),
    )
    const { id } = await add(gateway, place.base)
    await gateway.deps.store.pool.query(
      `INSERT INTO hook_delivery
         (hook_id, event, subject, facts, occurred_at, attempts, tried_since, dead_at)
       SELECT $1, 'wallet.health', 'one', '{}', now(), n, first, first FROM
         (VALUES (31, now() - interval '1 day'), (0, NULL)) messages (n, first)`,
      [id],
    )
    await must(gateway, ['replay'])
    sendFor(gateway)
    const states = async () =>
      parsed(await must(gateway, ['list', '--json'])).map((one) => one.state)
    await until(async () => expect(await states()).toEqual(['failing']))
    clock += 5000
    await until(() => expect(place.requests).toHaveLength(3))
    const attempts = place.requests.map(({ headers }) => headers['webhook-attempt'])
    expect(attempts).toEqual(['32', '33', '1'])
  })

  test('messages of a date arrive in order, also after failures; other dates do not wait', async () => {
    let clock = Date.now()
    const gateway = await open({ now: () => new Date(clock) })
    const place = await receiver((request, response, number) => {
      const fails = number < 3 && bodyOf(request).data.date === '2026-01-01'
      response.writeHead(fails ? 503 : 200).end()
    })
    await add(gateway, place.base)
    for (const status of ['failed', 'succeeded', 'failed'])
      await endRun(gateway, '2026-01-01', status)
    await endRun(gateway, '2026-01-02')
    sendFor(gateway)
    await until(() => expect(place.requests).toHaveLength(2))
    expect(place.requests.map((one) => bodyOf(one).data.date)).toEqual(['2026-01-01', '2026-01-02'])
    await until(() => {
      clock += 10_000
      const first = place.requests.filter((one) => bodyOf(one).data.date === '2026-01-01')
      expect([...new Set(first.map((one) => bodyOf(one).data.runId))]).toHaveLength(3)
    })
    const ids = place.requests.map((one) => BigInt(bodyOf(one).data.runId))
    const ofDate = ids.filter((_, at) => at !== 1)
    expect(ofDate).toEqual(ofDate.toSorted((one, other) => Number(one - other)))
  })

  test('hooks take turns: slow receivers of many messages hold up no other', async () => {
    const gateway = await open()
    const slow = await receiver((_, response) => void setTimeout(() => response.end(), 150))
    for (let hook = 0; hook < 8; hook++) await add(gateway, `${slow.base}/${hook}`)
    for (let day = 1; day <= 28; day++)
      await endRun(gateway, `2026-01-${String(day).padStart(2, '0')}`)
    const quick = await receiver()
    await add(gateway, quick.base)
    await endRun(gateway, '2026-02-01')
    sendFor(gateway)
    await until(() => expect(quick.requests).toHaveLength(1))
    expect(slow.requests.length).toBeLessThan(40)
  })

  test('messages that wait for one that has failed are not looked at before it', async () => {
    const gateway = await open()
    const { pool } = gateway.deps.store
    const place = await receiver((_, response) => response.writeHead(500).end())
    const { id } = await add(gateway, place.base)
    await pool.query(
      `INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at)
       SELECT $1, 'distribution.computed', (i % 10)::text, '{}', now() FROM generate_series(1, 9000) i`,
      [id],
    )
    sendFor(gateway)
    await until(() => expect(place.requests).toHaveLength(10))
    const due = `SELECT FROM hook_delivery WHERE dead_at IS NULL
      AND coalesce(due_at, '-infinity') <= now()`
    await until(async () => expect((await pool.query(due)).rowCount).toBe(0))
    await pool.query('ANALYZE hook_delivery')
    const next = `${due} ORDER BY coalesce(due_at, '-infinity'), id LIMIT 1`
    const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${next}`)
    expect(JSON.stringify(rows)).toContain('hook_delivery_due_idx')
  })

  test('a receiver that hangs holds up no other, and a redirect is not followed', async () => {
    const gateway = await open()
    const secret = await receiver()
    const hanging = await receiver(() => {})
    const redirecting = await receiver((_, response) =>
      response.writeHead(307, { location: secret.base }).end(),
    )
    const fine = await receiver()
    for (const { base } of [hanging, redirecting, fine]) await add(gateway, base)
    await endRun(gateway, '2026-01-01')
    sendFor(gateway)
    const errors = async () =>
      (
        await gateway.deps.store.pool.query<{ error: string }>(
          'SELECT error FROM hook_delivery ORDER BY hook_id',
        )
      ).rows.map(({ error }) => error)
    await until(async () =>
      expect(await errors()).toEqual([
        'it does not answer within 500 ms',
        'it answers 307: redirects are not followed',
      ]),
    )
    expect([fine.requests.length, secret.requests.length]).toEqual([1, 0])
  })

  test('paths of one server that hang hold up no other path of it', async () => {
    const gateway = await open()
    const place = await receiver((request, response) => {
      if (!request.url.startsWith('/hang')) response.writeHead(204).end()
    })
    for (const path of ['hang1', 'hang2', 'hang3', 'fine'])
      await add(gateway, `${place.base}/${path}`)
    await endRun(gateway, '2026-01-01')
    sendFor(gateway, 300_000)
    await until(() => expect(place.requests.map(({ url }) => url)).toContain('/fine'))
  })

  test('an answer without end is not read to its end', async () => {
    const gateway = await open()
    let sent = 0
    const place = await receiver((_, response) => {
      response.writeHead(200)
      const send = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536
      }
      response.on('drain', send)
      send()
    })
    await add(gateway, place.base)
    await endRun(gateway, '2026-01-01')
    sendFor(gateway)
    await until(async () =>
      expect(parsed(await must(gateway, ['list', '--json']))).toMatchObject([{ waiting: 0 }]),
    )
    expect(place.requests).toHaveLength(1)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('two gateways send each message once', async () => {
    const gateway = await open()
    const other = await open({ on: gateway })
    const place = await receiver()
    await add(gateway, place.base)
    await add(gateway, `${place.base}/second`)
    for (let day = 1; day <= 20; day++)
      await endRun(gateway, `2026-01-${String(day).padStart(2, '0')}`)
    for (const one of [gateway, other]) sendFor(one)
    await until(() => expect(new Set(place.requests.map(idOf)).size).toBe(40))
    expect(place.requests).toHaveLength(40)
  })

  test('a sender that dies loses nothing: another one sends the message, marked', async () => {
    let clock = Date.now()
    const gateway = await open({ now: () => new Date(clock) })
    const place = await receiver()
    await add(gateway, place.base)
    await endRun(gateway, '2026-01-01')
    const taken = await take(gateway.deps.store.pool, new Date(clock), [])
    sendFor(gateway)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(place.requests).toHaveLength(0)
    clock += 61_000
    await until(() => expect(place.requests).toHaveLength(1))
    const [request] = place.requests as [SourceRequest]
    expect([idOf(request), request.headers['webhook-attempt']]).toEqual([taken?.id, '2'])
    expect(request.body).toBe(taken?.body)
  })
})

test('a gateway that is killed while it sends loses nothing: the message comes again', async () => {
  let ahead = 0
  const gateway = await open({ now: () => new Date(Date.now() + ahead) })
  const place = await receiver((_, response, number) => {
    if (number > 1) response.writeHead(204).end()
  })
  await add(gateway, place.base)
  const { DATABASE_URL = '' } = gateway.deps.config
  const killed = await serve({ DATABASE_URL, ...PRIVATE })
  closing.push(() => killed.stop('SIGKILL'))
  await endRun(gateway, '2026-01-01')
  await until(() => expect(place.requests).toHaveLength(1))
  expect(await killed.stop('SIGKILL')).toBeNull()
  sendFor(gateway)
  ahead = 61_000
  await until(() => expect(place.requests).toHaveLength(2))
  const [first, second] = place.requests as [SourceRequest, SourceRequest]
  expect([idOf(second), second.body]).toEqual([idOf(first), first.body])
  expect([first, second].map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2'])
})

test('a store that is away is logged once, and messages go on when it is back', async () => {
  const { deps } = await open()
  const target = new URL(deps.config.DATABASE_URL ?? '')
  const sockets = new Set<Socket>()
  let isAway = false
  let refused = 0
  const line = createServer((socket) => {
    if (isAway) refused++
    if (isAway) return socket.destroy()
    const other = connect(Number(target.port || 5432), target.hostname)
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}).pipe(to)
      from.on('close', () => to.destroy())
    }
  })
  await once(line.listen(0, '127.0.0.1'), 'listening')
  closing.push(() => line.close())
  const url = new URL(target)
  url.host = `127.0.0.1:${(line.address() as { port: number }).port}`
  const WARN = 40
  const logged: unknown[] = []
  const onLog = ({ level, msg }: Record<string, unknown>) => {
    if (level === WARN) logged.push(msg)
  }
  const gateway = await open({ url: url.href, onLog })
  const place = await receiver()
  await add(gateway, place.base)
  sendFor(gateway)
  isAway = true
  for (const socket of sockets) socket.destroy()
  await until(() => expect(refused).toBeGreaterThan(5))
  isAway = false
  await until(() => expect(logged).toContain('the store is back'))
  await endRun(gateway, '2026-01-01')
  await until(() => expect(place.requests).toHaveLength(1))
  expect(logged.filter((line) => line === 'the store is away')).toHaveLength(1)
  expect(logged).not.toContain('messages of hooks cannot be sent')
})

test('a run that is rolled back sends nothing, and hooks leave the data version alone', async () => {
  const gateway = await open()
  const place = await receiver()
  const { pool } = gateway.deps.store
  const version = async () => (await pool.query('SELECT * FROM data_version')).rows
  const before = await version()
  await add(gateway, place.base)
  expect(await version()).toEqual(before)
  await pool.query(`INSERT INTO run (kind, date, status, requested_by, started_at, base_deposit,
    base_borrow) VALUES ('resync', '2026-01-01', 'running', 'test', now(), 1, 0.5)`)
  const client = await pool.connect()
  await client.query("BEGIN; UPDATE run SET status = 'succeeded'; ROLLBACK")
  client.release()
  expect((await pool.query('SELECT FROM hook_delivery')).rowCount).toBe(0)
})

test('a rotated secret signs together with the previous one for a day', async () => {
  let clock = Date.now()
  const gateway = await open({ now: () => new Date(clock) })
  const place = await receiver()
  const { id, secret } = await add(gateway, place.base)
  const [{ secret: fresh }] = parsed(await must(gateway, ['rotate', id, '--json']))
  await endRun(gateway, '2026-01-01')
  sendFor(gateway)
  await until(() => expect(place.requests).toHaveLength(1))
  const [first] = place.requests as [SourceRequest]
  for (const one of [secret, fresh]) new Webhook(one).verify(first.body, headersOf(first))
  clock += 25 * 3_600_000
  await endRun(gateway, '2026-01-02')
  await until(() => expect(place.requests).toHaveLength(2))
  const second = place.requests[1] as SourceRequest
  expect(second.headers['webhook-signature']).not.toContain(' ')
  const at = new Date(Number(second.headers['webhook-timestamp']) * 1000)
  const signature = new Webhook(fresh).sign(String(idOf(second)), at, second.body)
  expect(second.headers['webhook-signature']).toBe(signature)
})

describe('the command', () => {
  test('tests, lists and removes hooks, and says what does not exist', async () => {
    const gateway = await open()
    const place = await receiver()
    const { id, secret } = await add(gateway, place.base)
    expect(await must(gateway, ['test', id])).toContain('has taken the message msg_')
    const [request] = place.requests as [SourceRequest]
    expect(new Webhook(secret).verify(request.body, headersOf(request))).toMatchObject({
      type: 'test',
      data: { hook: id },
    })
    expect(await must(gateway, ['list'])).not.toContain(secret)
    await place.close()
    expect(await hooks(gateway, ['test', id])).toMatchObject({ code: 6 })
    await endRun(gateway, '2026-01-01')
    await must(gateway, ['remove', id])
    expect((await gateway.deps.store.pool.query('SELECT FROM hook_delivery')).rowCount).toBe(0)
    for (const args of [
      ['remove', id],
      ['rotate', id],
      ['test', id],
      ['replay', '1'],
    ])
      expect(await hooks(gateway, args), args.join()).toMatchObject({ code: 3 })
    expect(await hooks(gateway, ['remove', '1;--'])).toMatchObject({ code: 2 })
    const unknown = await hooks(gateway, ['add', 'https://example.org', '--event', 'moon.full'])
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('no event moon.full') })
  })

  test('refuses URLs that lead to no public place', async () => {
    const gateway = await open()
    const refused = async (url: string, env = {}) =>
      expect(await hooks(gateway, ['add', url], env), url).toMatchObject({ code: 2, out: '' })
    for (const url of [
      ...['nonsense', 'file:///etc/passwd', 'http://example.org/', 'ftp://example.org/'],
      ...['https://user:secret@example.org/', `https://example.org/${'x'.repeat(2000)}`],
      ...['https://127.0.0.1/', 'https://2130706433/', 'https://0.0.0.0/'],
      ...['https://10.1.2.3/', 'https://169.254.169.254/', 'https://100.100.100.200/'],
      ...['https://[::1]/', 'https://[::ffff:10.0.0.1]/', 'https://[::127.0.0.1]/'],
      ...['https://[64:ff9b::7f00:1]/', 'https://[2002:7f00:1::]/', 'https://[fd00::1]/'],
    ])
      await refused(url)
    for (const url of ['http://169.254.169.254/', 'http://[::ffff:169.254.169.254]/', 'file:///x'])
      await refused(url, PRIVATE)
    expect(parsed(await must(gateway, ['list', '--json']))).toEqual([])
  })

  test('a name that leads to a private address is not connected to', async () => {
    const place = await receiver()
    const post = openPost(false)
    closing.push(() => post.close())
    const secrets = [`whsec_${Buffer.alloc(32).toString('base64')}`]
    const url = place.base.replace('127.0.0.1', 'localhost')
    const send = (to: string) =>
      post.send({ url: to, id: 'msg_1', attempt: 1, body: '{}', secrets }, new Date())
    expect(await send(url)).toMatch(/leads to (127\.0\.0\.1|::1), which is not a public address/)
    expect(await send(place.base)).toContain('which is not a public address')
    expect(place.requests).toHaveLength(0)
  })
})
