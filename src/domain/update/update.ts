import type { Queryable, Writer } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import {
  type AnalyticsSource,
  analyticsName,
  type Fetched,
  type Known,
  type SourceReceipt,
  sourceFailed,
} from '../../sources/index.ts'
import { DAY_MS } from '../../time.ts'
import { conflictReason, findConflicts } from '../dataset/conflicts.ts'
import { isDaily, isStagedDaily, removeReplaced, stageDaily } from '../dataset/daily.ts'
import { described } from '../dataset/problem.ts'
import { columnOf, keyColumns, records } from '../dataset/records.ts'
import { stageRecords } from '../dataset/stage.ts'
import { Staging } from '../dataset/staging.ts'
import { FileStore } from '../dataset/store-file.ts'
import { inRun, type RunDeps, recordedRun } from '../distribution/run.ts'
import { claim, finishUpdate } from '../distribution/run-record.ts'
import { type Leg, type LegName, legOf } from './legs.ts'
import {
  countKept,
  forgetProgress,
  lossOf,
  type Progress,
  readProgress,
  stagedBetween,
  writeProgress,
} from './progress.ts'
import type { RulesSource } from './rules.ts'

export interface UpdateDeps extends RunDeps {
  analytics: Analytics
}

export interface Analytics {
  sources: ReadonlyMap<LegName, AnalyticsSource>
  rules?: RulesSource | undefined
  /** How far before the newest record an update requests records again. */
  overlapMs: number
  /** The share of users and of value that a source may lose. */
  maxDrop: number
}

export interface UpdateOptions {
  /** Requests records from this date on again. An update always requests those that may be new. */
  since?: Date | undefined
  /** Stores what the source has, whatever it has lost. */
  accept?: boolean | undefined
  onProgress?(records: number): void
}

export interface LegUpdate {
  leg: LegName
  source: string
  /** The run's number. Null for a dry run. */
  id: string | null
  /** The oldest requested date. Null: all records were requested. */
  since: Date | null
  /** The date of the newest record so far: of the update if they have none. Null without one. */
  newest: Date | null
  fetched: number
  written: number
  /**
   * Stored records since a wanted date that the source does not have. Null if no date was wanted,
   * or the leg has no users.
   */
  kept: number | null
}

/**
 * Brings a leg up to date with its source in one transaction: new and changed records from the
 * overlap on. A failed update changes nothing but its record. Other writers wait only while it
 * stores, not while it fetches.
 * @throws UNAVAILABLE without a source, CONFLICT while another update has the leg, SOURCE_FAILED
 * for a source that cannot be
 *   read, has invalid records or has lost some
 */
export function updateLeg(
  deps: UpdateDeps,
  name: LegName,
  requestedBy: string,
  options: UpdateOptions = {},
): Promise<LegUpdate> {
  const request = { kind: 'update' as const, requestedBy, subject: () => ({ leg: name }) }
  const update = updateOf(deps, name, options)
  return recordedRun(deps, request, async (writer, { id, startedAt }) => {
    const { sources, ...result } = await update(writer, startedAt)
    await finishUpdate(writer, id, sources)
    return { ...result, id }
  })
}

/** Does the same and rolls it back, unrecorded. */
export function previewLeg(
  deps: UpdateDeps,
  name: LegName,
  options: UpdateOptions = {},
): Promise<LegUpdate> {
  const update = updateOf(deps, name, options)
  return inRun(deps, async (writer) => {
    await claim(writer, { leg: name })
    const { sources, ...result } = await update(writer, deps.now())
    await writer.query('ROLLBACK AND CHAIN')
    return { ...result, id: null }
  })
}

// Throws UNAVAILABLE without a source.
function updateOf(deps: UpdateDeps, name: LegName, options: UpdateOptions) {
  const source = deps.analytics.sources.get(name)
  if (source)
    return (writer: Writer, now: Date) => update(writer, deps, source, legOf(name), now, options)
  throw new GatewayError(
    'UNAVAILABLE',
    `No source of ${name} is configured. Set ANALYTICS_SOURCE, then try again.`,
  )
}

type Updated = Omit<LegUpdate, 'id'> & { sources: SourceReceipt[] }

async function update(
  writer: Writer,
  { analytics, signal }: UpdateDeps,
  source: AnalyticsSource,
  leg: Leg,
  now: Date,
  { since: wanted, accept, onProgress }: UpdateOptions,
): Promise<Updated> {
  const called = analyticsName(leg.name, source.name)
  const before = await readProgress(writer, leg)
  const since = before && leg.dated ? leg.startOf(earlier(before.since, wanted)) : null
  const result = {
    leg: leg.name,
    source: source.name,
    since,
    newest: before?.newest ?? null,
    fetched: 0,
    written: 0,
    kept: null,
  }
  const { fields } = records[leg.name]
  const fetched = await source.records(leg.name, {
    since,
    fields,
    known: once(() => knownBy(writer)),
    signal,
  })
  if (!fetched) {
    if (before) throw sourceFailed(called, `it has no ${leg.name} any more`)
    return { ...result, sources: [] }
  }
  const staging = await Staging.open(writer, leg.name)
  const staged = await stage(staging, { leg, fetched, called, since, now, onProgress })
  if (before && !accept) {
    const held = await stagedBetween(writer, leg, before.since, before.newest)
    const loss = lossOf(leg, before, held, staged.newest, analytics.maxDrop)
    if (loss)
      throw sourceFailed(
        called,
        `${loss}. If that is right, run \`gateway update ${leg.name} --accept\``,
      )
  }
  const sources = fetched.receipts()
  if (!staged.newest) {
    if (before) await forgetProgress(writer, leg)
    return { ...result, newest: null, sources }
  }
  await writer.lock()
  await assertFixed(writer, leg, fetched.label, called)
  const written = await store(writer, leg)
  const kept =
    wanted && since && records[leg.name].user
      ? await countKept(writer, leg, since, staged.newest)
      : null
  await writeProgress(
    writer,
    leg,
    source.name,
    await nextProgress(writer, leg, staged.newest, since, analytics),
  )
  return { ...result, newest: staged.newest, fetched: staged.records, written, kept, sources }
}

async function knownBy(client: Queryable): Promise<Known> {
  const users = await client.query<{ address: string }>(
    'SELECT user_address AS address FROM "user"',
  )
  const entities = await client.query<Known['entities'][number]>(
    `SELECT 'market' AS kind, chain_id::float8 AS "chainId", id AS address FROM market
     UNION ALL SELECT 'vault', chain_id::float8, id FROM vault`,
  )
  return { users: users.rows.map(({ address }) => address), entities: entities.rows }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

const earlier = (date: Date, other: Date | undefined) => (other && other < date ? other : date)

// Records of the future are of a source that counts in other units.
const AHEAD_MS = DAY_MS

interface Stage {
  leg: Leg
  fetched: Fetched
  called: string
  since: Date | null
  now: Date
  onProgress: UpdateOptions['onProgress']
}

async function stage(staging: Staging, { leg, fetched, called, since, now, onProgress }: Stage) {
  const format = records[leg.name]
  const { dated } = leg
  const dateAt = Object.keys(format.fields).indexOf(dated ?? '')
  const [first, last] = [since?.getTime() ?? Number.NEGATIVE_INFINITY, now.getTime() + AHEAD_MS]
  let newest = Number.NEGATIVE_INFINITY
  let seen = 0
  const count = await stageRecords(staging, fetched, {
    keep({ texts }) {
      const date = dated ? leg.dateOf(texts[dateAt] ?? '') : now.getTime()
      if (date > last) return { field: dated, reason: future(texts[dateAt] ?? '') }
      if (++seen % PROGRESS_EVERY === 0) onProgress?.(seen)
      if (date < first) return false
      newest = Math.max(newest, date)
      return true
    },
    failed: (reason) => sourceFailed(called, reason),
  })
  const client = staging.writer
  await client.query(`ANALYZE staged; SET LOCAL work_mem = '64MB'`)
  if (!isDaily(leg.name)) await assertDistinct(client, fetched.label, called, format.key)
  else if (!(await isStagedDaily(client, leg.name))) {
    await assertDistinct(client, fetched.label, called, format.key)
    await stageDaily(client, leg.name)
  }
  return { records: count, newest: count > 0 ? new Date(newest) : undefined }
}

const PROGRESS_EVERY = 10_000

const future = (text: string) => {
  const unit = /^\d{13}$/.test(text) ? ' are milliseconds, and seconds are needed' : ''
  return `is in the future: ${text}${unit}`
}

// A record that comes twice is of a page that came twice.
async function assertDistinct(
  client: Queryable,
  label: string,
  called: string,
  key: string[],
): Promise<void> {
  const { rows } = await client.query<{ first: number; line: number }>(
    `SELECT min(line)::float8 AS first, max(line)::float8 AS line FROM staged GROUP BY key_digest
      HAVING count(*) > 1 LIMIT 1`,
  )
  const [repeated] = rows
  if (!repeated) return
  const { conflicts } = await findConflicts(client, 'staged')
  const [conflict] = conflicts
  if (conflict)
    throw sourceFailed(called, `${label}:${conflict.line}: ${conflictReason(conflict.first, key)}`)
  throw sourceFailed(
    called,
    `${label}:${repeated.line}: repeats the record of line ${repeated.first}`,
  )
}

// A record whose fixed fields differ is of another token or pool, or its source is wrong. An
// operator decides which.
async function assertFixed(
  writer: Writer,
  { name, fixed }: Leg,
  label: string,
  called: string,
): Promise<void> {
  const format = records[name]
  if (fixed.length === 0) return
  const values = fixed.map((field) => {
    const column = columnOf(format, field)
    return `('${field}', to_jsonb(t.${column}), to_jsonb(s.${column}))`
  })
  const { rows } = await writer.query<{
    line: number
    field: string
    stored: unknown
    received: unknown
  }>(
    `SELECT s.line::float8, f.* FROM ${writer.temporary('staged')} s
     JOIN ${format.table} t USING (${keyColumns(format).join(', ')})
     CROSS JOIN LATERAL (VALUES ${values.join(', ')}) AS f (field, stored, received)
     WHERE f.stored <> f.received ORDER BY s.line LIMIT 1`,
  )
  const [row] = rows
  if (!row) return
  throw sourceFailed(
    called,
    `${label}:${row.line}: ${row.field} is ${described(row.stored)} in the store, and an update ` +
      `does not change it to ${described(row.received)}. If that is right, import the record`,
  )
}

// The number of written rows after which the planner needs new statistics.
const MANY = 10_000

// Stores the staged records. Without a new or changed one, the data version stays.
async function store(writer: Writer, { name }: Leg): Promise<number> {
  const file = new FileStore(writer, name)
  await writer.query('SAVEPOINT stored')
  if (isDaily(name)) await removeReplaced(writer, name)
  const { rows } = await file.store()
  await file.settle()
  const written = rows.get(file.table) ?? 0
  if (written === 0) await writer.query('ROLLBACK TO SAVEPOINT stored')
  else if (written > MANY) await writer.analyze([file.table])
  return written
}

// The next update requests the overlap again, and finds there what the source has now.
async function nextProgress(
  client: Queryable,
  leg: Leg,
  newest: Date,
  since: Date | null,
  { overlapMs }: Analytics,
): Promise<Progress> {
  const overlap = Math.max(
    newest.getTime() - overlapMs,
    since?.getTime() ?? Number.NEGATIVE_INFINITY,
  )
  const start = leg.startOf(new Date(overlap))
  return { newest, since: start, held: await stagedBetween(client, leg, start, newest) }
}
