import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { applySeasons, removeSeason, setSeason } from '../../src/domain/season/change-seasons.ts'
import { closeSeasonsDue } from '../../src/domain/season/close-seasons.ts'
import { command } from '../support/command-line.ts'
import { emptyProgram } from '../support/dump.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import {
  ANN,
  BEN,
  CAT,
  importFiles,
  midnight,
  multiplier,
  pool,
  position,
} from '../support/one-pool.ts'

const BY = { requestedBy: 'test' }
const SPRING = { name: 'Spring', startsAt: '2026-03-02', endsAt: '2026-03-03' }

let gateway: Gateway
let now: Date
beforeAll(async () => {
  gateway = await startGateway({ now: () => now, env: { PROGRAM_NAME: 'Tides' } })
  await importFiles(gateway, { pools: [pool] })
})
afterAll(() => gateway.close())
beforeEach(async () => {
  now = new Date('2026-03-03T12:00:00Z')
  await emptyProgram(gateway.deps.store.pool)
  await gateway.deps.store.pool.query('DELETE FROM season; DELETE FROM run')
  await importFiles(gateway, {
    multipliers: [{ ...multiplier, deposit_tokenA: 1 }],
    positions: [
      position(ANN, 100, { distributionDate: midnight('2026-03-01') }),
      position(ANN, 1.5, { distributionDate: midnight('2026-03-02') }),
      position(BEN, 20, { distributionDate: midnight('2026-03-02') }),
      position(BEN, 0, { distributionDate: midnight('2026-03-03') }),
      position(CAT, 1, { distributionDate: midnight('2026-03-03') }),
    ],
  })
})

const deps = () => ({ pool: gateway.deps.store.pool, now: () => now })
const set = (name: string, startsAt: string, endsAt: string | null = null, reopen = false) =>
  setSeason(deps(), { name, startsAt, endsAt }, { ...BY, reopen })
const seasons = async (fields = 'name status') =>
  (await gateway.ask(`{ program { seasons { ${fields} } } }`)).program.seasons
const close = () => closeSeasonsDue(gateway.deps.store.pool, now)
const resync = async (day: string, more = '') => {
  const { errors } = await gateway.graphql(
    `mutation { resyncDistribution(input: { date: "${day}"${more} }) { run { recordId } } }`,
    undefined,
    asAdmin,
  )
  return errors?.[0].message as string | undefined
}
const runs = async () => (await gateway.ask('{ runs { nodes { date kind reopened } } }')).runs.nodes
const env = () => ({ DATABASE_URL: gateway.deps.config.DATABASE_URL as string, MIGRATE: 'off' })
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('seasons', () => {
  test('have a status as of today, which the next minute brings up to date', async () => {
    expect(await gateway.ask('{ program { name season { name } seasons { name } } }')).toEqual({
      program: { name: 'Tides', season: null, seasons: [] },
    })
    await set('Spring', '2026-03-02', '2026-03-03')
    await set('Summer', '2026-03-05')
    const all =
      '{ program { season { name status startsAt endsAt digest closedAt } seasons { name status } } }'
    expect((await gateway.ask(all)).program).toEqual({
      season: { ...SPRING, status: 'ACTIVE', digest: null, closedAt: null },
      seasons: [
        { name: 'Spring', status: 'ACTIVE' },
        { name: 'Summer', status: 'UPCOMING' },
      ],
    })
    expect(await close()).toEqual([])
    now = new Date('2026-03-04T00:00:01Z')
    expect(await close()).toEqual(['Spring'])
    expect(await close()).toEqual([])
    expect((await gateway.ask(all)).program).toMatchObject({
      season: null,
      seasons: [{ status: 'ENDED' }, {}],
    })
    now = new Date('2026-03-05T00:00:01Z')
    await close()
    expect((await gateway.ask(all)).program).toMatchObject({
      season: { name: 'Summer', endsAt: null },
    })
  })

  test('refuse runs of all other dates, over REST with 409, and record nothing', async () => {
    expect(await resync('2026-03-01')).toBeUndefined()
    await set('Spring', '2026-03-02', '2026-03-03')
    const before = await runs()
    const sentence =
      'No season has the date 2026-03-01, so it was not computed: add a season with that date, or move one.'
    expect(await resync('2026-03-01')).toBe(sentence)
    const answer = await fetch(`${gateway.base}/points/resync?date=2026-03-01`, {
      method: 'POST',
      headers: asAdmin,
    })
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([
      409,
      expect.stringContaining(sentence),
    ])
    const late = position(ANN, 7, { distributionDate: midnight('2026-02-28') })
    await expect(importFiles(gateway, { positions: [late] })).rejects.toThrow(
      'No season has the date 2026-02-28',
    )
    expect((await runs()).filter(({ kind }: any) => kind !== 'IMPORT')).toEqual(
      before.filter(({ kind }: any) => kind !== 'IMPORT'),
    )
    expect(await resync('2026-03-02')).toBeUndefined()
  })

  test('that have ended have a final board, whose digest anyone can compute', async () => {
    await set('Spring', '2026-03-02', '2026-03-03')
    now = new Date('2026-03-04T00:00:01Z')
    await close()
    const [{ digest, closedAt }] = await seasons('digest closedAt')
    expect(digest).toBe(sha256(`${ANN} 1.500000\n${BEN} 20.000000\n${CAT} 1.000000\n`))
    expect(closedAt).toMatch(/^20/)
    const { program } = await gateway.ask('{ program { seasons { id } } }')
    const { node } = await gateway.ask(
      `{ node(id: "${program.seasons[0].id}") { ... on Season { name digest } } }`,
    )
    expect(node).toEqual({ name: 'Spring', digest })
  })

  test('without a distribution of the last date have none', async () => {
    await set('Spring', '2026-03-02', '2026-03-04')
    now = new Date('2026-03-09T00:00:00Z')
    expect(await close()).toEqual([])
    expect(await seasons('status digest')).toEqual([{ status: 'ENDED', digest: null }])
    expect(await resync('2026-03-03')).toBeUndefined()
  })

  test('with a final board are changed by a run that reopens it alone, which leaves a record', async () => {
    await set('Spring', '2026-03-02', '2026-03-03')
    now = new Date('2026-03-04T00:00:01Z')
    await close()
    const [{ digest }] = await seasons('digest')
    expect(await resync('2026-03-02')).toMatch(
      /^The board of Spring has been final since 20\d\d-\d\d-\d\d, so 2026-03-02 was not computed: reopen it \(--reopen, or reopen: true\) to change its points\.$/,
    )
    const ben = position(BEN, 21, { distributionDate: midnight('2026-03-02') })
    await expect(importFiles(gateway, { positions: [ben] })).rejects.toThrow(
      /^The board of Spring has been final/,
    )
    expect(await seasons('digest')).toEqual([{ digest }])

    const again = await command(['resync', '--date', '2026-03-02', '--reopen'], env())
    expect(again).toMatchObject({ code: 0, err: '' })
    expect((await runs())[0]).toEqual({ date: '2026-03-02', kind: 'RESYNC', reopened: 'Spring' })
    expect(await seasons('digest closedAt')).toEqual([{ digest: null, closedAt: null }])
    await gateway.deps.store.pool.query('UPDATE multiplier SET deposit_token_a = 2')
    expect(await resync('2026-03-02')).toBeUndefined()
    expect((await runs())[0]).toMatchObject({ reopened: null })
    expect(await close()).toEqual(['Spring'])
    expect(await resync('2026-03-03', ', reopen: true')).toBeUndefined()
    expect((await runs())[0]).toMatchObject({ reopened: 'Spring' })
    expect(await close()).toEqual(['Spring'])
    expect(await seasons('digest')).toEqual([
      { digest: sha256(`${ANN} 3.000000\n${BEN} 40.000000\n${CAT} 2.000000\n`) },
    ])
  })

  test('cannot overlap, end before they begin, or have a name that SEASONS cannot write', async () => {
    await set('Spring', '2026-03-02', '2026-03-03')
    const refused = async (work: Promise<void>) =>
      work.then(() => undefined).catch((error) => error.message)
    expect(await refused(set('Summer', '2026-03-03'))).toBe(
      'Summer begins on 2026-03-03, when Spring has not ended: no date may be in two seasons. Nothing was changed.',
    )
    expect(await refused(set('Winter', '2026-03-01'))).toBe(
      'Spring begins on 2026-03-02, when Winter has not ended: no date may be in two seasons. Nothing was changed.',
    )
    expect(await refused(set('Summer', '2026-03-09', '2026-03-08'))).toBe(
      'to must not be before 2026-03-09, the first date of Summer.',
    )
    for (const name of ['', ' a', 'a,b', 'a=b', 'x'.repeat(101), 'a\nb'])
      expect(await refused(set(name, '2026-04-01')), name).toMatch(
        /^name must be 1 to 100 characters/,
      )
    expect(await refused(removeSeason(deps(), 'Autumn', BY))).toBe(
      'There is no season Autumn; nothing was changed.',
    )
    expect(await seasons()).toEqual([{ name: 'Spring', status: 'ACTIVE' }])
    const both = await Promise.allSettled([
      set('A', '2026-05-01', '2026-05-09'),
      set('B', '2026-05-09'),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('with a final board keep their dates without --reopen', async () => {
    await set('Spring', '2026-03-02', '2026-03-03')
    now = new Date('2026-03-04T00:00:01Z')
    await close()
    const sentence = /^The board of Spring has been final since .*; add --reopen to change it\.$/
    await expect(set('Spring', '2026-03-02', '2026-03-09')).rejects.toThrow(sentence)
    await expect(removeSeason(deps(), 'Spring', BY)).rejects.toThrow(sentence)
    await expect(applySeasons(deps(), [], BY)).rejects.toThrow(sentence)
    await set('Spring', '2026-03-01', '2026-03-02', true)
    expect(await seasons('startsAt digest')).toEqual([
      { startsAt: '2026-03-01', digest: sha256(`${ANN} 101.500000\n${BEN} 20.000000\n`) },
    ])
    await removeSeason(deps(), 'Spring', { ...BY, reopen: true })
    expect(await resync('2026-03-03')).toBeUndefined()
  })
})

describe('the setting SEASONS', () => {
  test('replaces the stored seasons, in any order, and writes nothing if they are the same', async () => {
    const read = (SEASONS: string) =>
      readConfig({ SEASONS }).SEASONS as Parameters<typeof applySeasons>[1]
    await set('Old', '2020-01-01', '2020-01-02')
    const wanted = read('Summer=2026-03-04.., Spring=2026-03-02..2026-03-03')
    await applySeasons(deps(), wanted, BY)
    expect(await seasons('name startsAt endsAt')).toEqual([
      SPRING,
      { name: 'Summer', startsAt: '2026-03-04', endsAt: null },
    ])
    const { dataVersion } = await gateway.ask('{ dataVersion }')
    await applySeasons(deps(), wanted, BY)
    expect(await gateway.ask('{ dataVersion }')).toEqual({ dataVersion })
    // They exchange their dates.
    await applySeasons(deps(), read('Spring=2026-03-04..,Summer=2026-03-02..2026-03-03'), BY)
    expect(await seasons()).toEqual([
      { name: 'Summer', status: 'ACTIVE' },
      { name: 'Spring', status: 'UPCOMING' },
    ])
  })

  test.each([
    [
      'Spring',
      /^SEASONS must be seasons like Season 1=2026-01-01\.\.2026-06-30, separated by commas, not Spring/,
    ],
    ['Spring=2026-02-30..', /^SEASONS must be seasons like/],
    ['Spring=2026-02-03..2026-02-01', /^SEASONS to must not be before 2026-02-03/],
    ['A=2026-01-01..,B=2026-02-01..', /^SEASONS B begins on 2026-02-01, when A has not ended/],
    ['A=2026-01-01..2026-01-02,A=2026-02-01..', /^SEASONS must not give two seasons the same name/],
  ])('%s is refused', (SEASONS, sentence) => {
    expect(() => readConfig({ SEASONS })).toThrow(ConfigError)
    expect(() => readConfig({ SEASONS })).toThrow(sentence)
  })
})

test('gateway seasons shows and changes them, unless they are those of SEASONS', async () => {
  expect((await command(['seasons', 'list'], env())).out).toBe(
    'There are no seasons, so every date counts.\n',
  )
  const added = await command(
    ['seasons', 'set', 'Spring', '--from', '2026-03-02', '--to', '2026-03-03'],
    env(),
  )
  expect([added.code, added.out]).toEqual([
    0,
    expect.stringMatching(/Spring\s+2026-03-02\s+2026-03-03\s+ended\s+[0-9a-f]{64}/),
  ])
  expect(await command(['seasons', 'set', 'X', '--from', '2026-03-03'], env())).toMatchObject({
    code: 4,
  })
  expect(await command(['seasons', 'set', 'X', '--from', 'soon'], env())).toMatchObject({ code: 2 })
  expect(await command(['seasons', 'remove', 'X'], env())).toMatchObject({ code: 3 })
  expect(await command(['resync', '--date', '2026-03-03'], env())).toMatchObject({ code: 4 })
  expect(await command(['seasons', 'remove', 'Spring', '--reopen'], env())).toMatchObject({
    code: 0,
  })
  const set = { ...env(), SEASONS: 'Spring=2026-03-02..' }
  expect(await command(['seasons', 'remove', 'Spring'], set)).toMatchObject({
    code: 2,
    err: 'The seasons are those of SEASONS: change that setting instead.\n',
  })
  expect(JSON.parse((await command(['seasons', 'list', '--json'], env())).out)).toMatchObject({
    name: 'Spring',
  })
})
