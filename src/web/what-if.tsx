import {
  DistributionDatesDocument,
  type DistributionKind,
  type MultiplierInput,
  MultipliersOfDateDocument,
  type MultipliersOfDateQuery,
  PreviewDistributionDocument,
  type PreviewDistributionQuery,
  ResyncDateDocument,
  SetMultipliersDocument,
} from 'lending-graph-client'
import { type FormEvent, useRef, useState } from 'react'
import { type CombinedError, useClient } from 'urql'
import { Link } from 'wouter'
import {
  adminToken,
  asOperator,
  isRefused,
  keepAdminToken,
  REFUSED,
  sentToken,
} from './admin-token.ts'
import { Answer, NothingStored } from './answer.tsx'
import { CopyCommand } from './copy-command.tsx'
import { DateField } from './date-field.tsx'
import {
  changedMultipliers,
  commandOf,
  type Edits,
  FACTORS,
  type FactorName,
  problemOfFactor,
} from './factors.ts'
import { isoDay } from './format.ts'
import { type EditedPool, MultiplierEditor } from './multiplier-editor.tsx'
import { NotADate } from './not-a-date.tsx'
import { Section } from './page-frame.tsx'
import { KIND } from './run-words.ts'
import { TokenField } from './token-field.tsx'
import { useUrlState } from './url-state.ts'
import { useGraph } from './use-graph.ts'
import { WhatIfResult } from './what-if-result.tsx'

/** As many as the graph gives. */
const MOVERS = 1000

/** The place that is left free for a page of pools, whose rows have fields. */
const ROWS = 24

/** Multipliers of a date to change: what a run with them would do, the command, and the run. */
export function WhatIf() {
  const url = useUrlState()
  const dates = useGraph(DistributionDatesDocument, {})
  const newest = dates.data?.newest.nodes[0]?.date
  const date = url.get('date') ?? (newest && isoDay(newest))
  const variables = { date: date ?? '' }
  const isDate = date !== undefined && !Number.isNaN(Date.parse(`${date}T00:00Z`))
  const rules = useGraph(MultipliersOfDateDocument, variables, { pause: !isDate })
  return (
    <Section
      id="preview"
      title="Preview of a run"
      operation={{ query: MultipliersOfDateDocument, variables }}
    >
      <Answer of={dates} rows={ROWS}>
        {() => {
          if (date === undefined) return <NothingStored of="positions" />
          if (!isDate) return <NotADate text={date} />
          return (
            <Answer of={rules} rows={ROWS}>
              {(data) => <Editor key={date} date={date} pools={editedPools(data)} />}
            </Answer>
          )
        }}
      </Answer>
    </Section>
  )
}

function editedPools({ multipliers, pools }: MultipliersOfDateQuery): EditedPool[] {
  const rules = new Map(multipliers.nodes.map((rule) => [rule.poolAddress, rule]))
  return pools.nodes.map(({ address, displayName, chainId, tvlUsd, assetA, assetB }) => ({
    address,
    name: displayName,
    chainId,
    tvlUsd,
    symbols: [assetA.symbol ?? 'A', assetB.symbol ?? 'B'],
    factors: rules.get(address) ?? null,
  }))
}

interface Previewed {
  data: PreviewDistributionQuery
  /** The multipliers that it was computed with. */
  multipliers: MultiplierInput[]
  kind: DistributionKind
}

function Editor({ date, pools }: { date: string; pools: EditedPool[] }) {
  const client = useClient()
  const url = useUrlState()
  const [edits, setEdits] = useState<Edits>({})
  const [kind, setKind] = useState<DistributionKind>('RESYNC')
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<CombinedError | string>()
  const [previewed, setPreviewed] = useState<Previewed>()
  const [stored, setStored] = useState<string>()
  const isWrong = Object.values(edits).some((edit) =>
    FACTORS.some((name) => edit[name] !== undefined && problemOfFactor(edit[name]) !== undefined),
  )
  const multipliers = isWrong ? [] : changedMultipliers(pools, edits, date)
  const edit = (pool: string, name: FactorName, text: string) => {
    setStored(undefined)
    setEdits({ ...edits, [pool]: { ...edits[pool], [name]: text } })
  }
  const fail = (fault: CombinedError) => setError(isRefused(fault) ? REFUSED : fault)
  const preview = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const token = sentToken(event.currentTarget)
    if (token === undefined) return setError(REFUSED)
    if (isWrong) return setError('A multiplier is not valid: the field says why.')
    setRunning(true)
    setError(undefined)
    const { data, error } = await client
      .query(
        PreviewDistributionDocument,
        { date, kind, multipliers, first: MOVERS },
        asOperator(token),
      )
      .toPromise()
    setRunning(false)
    if (error) return fail(error)
    keepAdminToken(token)
    if (data) setPreviewed({ data, multipliers, kind })
  }
  const run = async () => {
    if (!previewed) return
    setRunning(true)
    setError(undefined)
    const set =
      previewed.multipliers.length === 0
        ? undefined
        : await client
            .mutation(
              SetMultipliersDocument,
              { multipliers: previewed.multipliers },
              asOperator(adminToken()),
            )
            .toPromise()
    if (set?.error) {
      setRunning(false)
      return fail(set.error)
    }
    const { data, error } = await client
      .mutation(ResyncDateDocument, { date }, asOperator(adminToken()))
      .toPromise()
    setRunning(false)
    setPreviewed(undefined)
    setEdits({})
    const [fault] = error?.graphQLErrors ?? []
    if (set && fault)
      return setError(`The multipliers are stored, but the date is not computed: ${fault.message}`)
    if (error) return fail(error)
    setStored(data?.resyncDistribution.run.recordId)
  }
  const isStale =
    previewed !== undefined &&
    JSON.stringify([previewed.multipliers, previewed.kind]) !== JSON.stringify([multipliers, kind])
  return (
    <>
      <form className="choices" onSubmit={preview}>
        <DateField label="Date" name="date" value={date} onDate={(date) => url.set({ date })} />
        <label>
          Kind
          <select value={kind} onChange={({ target }) => setKind(target.value as DistributionKind)}>
            <option value="RESYNC">{KIND.RESYNC}: stored positions</option>
            <option value="MANUALUPDATE">{KIND.MANUALUPDATE}: new positions</option>
          </select>
        </label>
        <TokenField />
        <button type="submit" disabled={isRunning}>
          {isRunning ? 'Computing' : 'Preview'}
        </button>
        {Object.keys(edits).length > 0 && (
          <button type="button" onClick={() => setEdits({})}>
            Undo changes
          </button>
        )}
      </form>
      <MultiplierEditor pools={pools} edits={edits} onEdit={edit} />
      {typeof error === 'string' && (
        <p className="fault" role="alert">
          {error}
        </p>
      )}
      {error !== undefined && typeof error !== 'string' && (
        <Answer of={{ data: undefined, error, fetching: false, retry: undefined }}>
          {() => null}
        </Answer>
      )}
      {stored && (
        <p role="status">
          It is stored: <Link href={`/runs/${stored}`}>run {stored}</Link> computed the date.
        </p>
      )}
      {previewed && (
        <>
          {isStale && (
            <p role="status">This preview is of the multipliers before your last change.</p>
          )}
          <WhatIfResult
            preview={previewed.data.previewDistribution}
            tvlUsd={pools.reduce((sum, { tvlUsd }) => sum + tvlUsd, 0)}
            nameOf={(address) => pools.find((pool) => pool.address === address)?.name}
          />
          {!isStale && (
            <Apply {...previewed} date={date} isRunning={isRunning} onRun={() => void run()} />
          )}
        </>
      )}
    </>
  )
}

interface ApplyProps extends Previewed {
  date: string
  isRunning: boolean
  onRun(): void
}

/** Runs what was previewed after a question, or gives the command that does it. */
function Apply({ multipliers, kind, date, isRunning, onRun }: ApplyProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const command = commandOf(multipliers, kind, date)
  const pools = multipliers.length === 1 ? '1 pool' : `${multipliers.length} pools`
  const sentence =
    multipliers.length === 0
      ? `This computes the points of ${date} again and stores them.`
      : `This stores the multipliers of ${pools} from ${date} on and computes the points of that ` +
        'date again. Later dates change when they are computed again.'
  return (
    <Section id="apply" title="Apply it">
      <p>{sentence}</p>
      <pre className="command">
        <code>{command}</code>
      </pre>
      <div className="choices">
        {kind === 'RESYNC' && (
          <button type="button" disabled={isRunning} onClick={() => dialog.current?.showModal()}>
            Run
          </button>
        )}
        <CopyCommand command={command} name="Copy the command" />
      </div>
      <dialog ref={dialog} aria-labelledby="confirm">
        <form method="dialog">
          <h3 id="confirm">Run it now?</h3>
          <p>{sentence}</p>
          <div className="choices">
            <button type="submit" onClick={onRun}>
              Store and run
            </button>
            <button type="submit">Cancel</button>
          </div>
        </form>
      </dialog>
    </Section>
  )
}
