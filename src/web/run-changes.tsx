import {
  RunChangesDocument,
  type RunChangesQuery,
  type RunQuery,
  type RunRulesFragment,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, Empty } from './answer.tsx'
import { day, isoDay, times } from './format.ts'
import { changedFactors, symbolsOf } from './multiplier-chips.tsx'
import { pointsChangeColumns } from './points-change-columns.tsx'
import { type Column, Table } from './table.tsx'
import { useGraph } from './use-graph.ts'
import { Day, Num, PoolLink, Unknown, WalletLink } from './values.tsx'

type RunOfQuery = NonNullable<RunQuery['run']>
type Revision = NonNullable<RunRulesFragment['multipliers']>['nodes'][number]
type Entry = NonNullable<RunChangesQuery['run']>['changes']['nodes'][number]

/**
 * The rules that a run of a date used and the run before it did not, and the wallets whose points
 * it changed most.
 */
export function RunChanges({ run }: { run: RunOfQuery }) {
  const { recordId, date, startedAt, status, kind } = run
  const pause = date === null || status !== 'SUCCEEDED'
  const variables = { recordId, date: date ?? '', before: startedAt }
  const answer = useGraph(RunChangesDocument, variables, { pause })
  if (pause) return null
  return (
    // Other runs are the first of their date, most often.
    <Answer of={answer} rows={kind === 'RESYNC' ? 4 : 1}>
      {({ run, runs: { nodes } }) => {
        const [before] = nodes
        if (!run) return null
        if (!before) return <p>It is the first run of its date.</p>
        return (
          <>
            <Size run={run} before={before} />
            <ChangedRules date={date} before={before} after={run} />
            <Movers run={run} />
          </>
        )
      }}
    </Answer>
  )
}

interface SizeProps {
  run: NonNullable<RunChangesQuery['run']>
  before: RunRulesFragment
}

/** The number of wallets and positions that changed, and the run before. */
const Size = ({ run, before }: SizeProps) => (
  <p>
    {run.changes.totalCount > 0 && (
      <>
        It changed the points of <Count value={run.changedUserCount} one="wallet" />, in{' '}
        <Count value={run.changes.totalCount} one="pool and wallet" many="pools and wallets" />.{' '}
      </>
    )}
    The run before it is <Link href={`/runs/${before.recordId}`}>run {before.recordId}</Link>.
  </p>
)

interface CountProps {
  value: number | null
  one: string
  many?: string
}

const Count = ({ value, one, many = `${one}s` }: CountProps) => (
  <Num value={value} unit="count" suffix={value === 1 ? one : many} />
)

interface ChangedRule {
  id: string
  pool: Revision['pool']
  poolAddress: string
  factors: string[]
  /** Null if the multiplier was taken back. */
  after: Revision | null
}

const ruleColumns = (date: string): Column<ChangedRule>[] => [
  {
    name: 'Pool',
    heads: true,
    cell: ({ poolAddress, pool }) => (
      <PoolLink
        address={poolAddress}
        name={pool?.displayName}
        {...(pool && { tokens: [pool.assetA, pool.assetB] })}
      />
    ),
  },
  {
    name: 'Multipliers',
    cell: ({ factors }) => (
      <span className="chips">
        {factors.map((factor) => (
          <span key={factor} className="chip">
            {factor}
          </span>
        ))}
      </span>
    ),
  },
  { name: 'Set by', cell: ({ after }) => after?.changedBy ?? <Unknown /> },
  {
    name: 'Set on',
    cell: ({ after }) =>
      after ? <SetOn iso={isoDay(after.changedAt)} date={date} /> : 'taken back',
  },
]

/** When a rule was set, and whether that is after the date whose points follow it. */
const SetOn = ({ iso, date }: { iso: string; date: string }) => (
  <>
    <Day iso={iso} />
    {iso > date && (
      <span className="chip announced" title={`The rule was set after ${day(date)}.`}>
        backdated
      </span>
    )}
  </>
)

interface ChangedRulesProps {
  date: string | null
  before: RunRulesFragment
  after: RunRulesFragment
}

/** The base points and the multipliers that differ between two runs of a date. */
function ChangedRules({ date, before, after }: ChangedRulesProps) {
  const rules = changedRules(before, after)
  const base = changedBase(before, after)
  const lists = [before.multipliers, after.multipliers]
  const count = Math.max(...lists.map((list) => list?.totalCount ?? 0))
  const compared = Math.max(...lists.map((list) => list?.nodes.length ?? 0))
  return (
    <>
      <h2>Changed rules</h2>
      {base.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {rules.length > 0 && (
        <Table
          caption="Changed rules"
          columns={ruleColumns(date ?? '')}
          rows={rules}
          rowKey={({ id }) => id}
        />
      )}
      {rules.length + base.length === 0 && (
        <Empty>The run used the same rules as the run before it.</Empty>
      )}
      {compared < count && <p>Only the first {compared} pools were compared.</p>}
    </>
  )
}

/** The multipliers that differ, of the pools that either run has. */
function changedRules(before: RunRulesFragment, after: RunRulesFragment): ChangedRule[] {
  const byPool = (run: RunRulesFragment) =>
    new Map((run.multipliers?.nodes ?? []).map((revision) => [revision.poolAddress, revision]))
  const [old, used] = [byPool(before), byPool(after)]
  return [...new Set([...used.keys(), ...old.keys()])].flatMap((poolAddress) => {
    const revision = used.get(poolAddress)
    const former = old.get(poolAddress)
    const pool = (revision ?? former)?.pool ?? null
    const factors = changedFactors(former, revision, symbolsOf(pool))
    const rule = { id: poolAddress, pool, poolAddress, factors, after: revision ?? null }
    return factors.length > 0 ? [rule] : []
  })
}

/** The rules for all pools that differ, each as a sentence. */
function changedBase(before: RunRulesFragment, after: RunRulesFragment): string[] {
  const change = (name: string, from: number, to: number) =>
    from === to ? [] : [`${name}: ${times(from)} → ${times(to)}.`]
  const [from, to] = [before.basePointsProtectedMinLtv, after.basePointsProtectedMinLtv]
  const ltv = (value: number | null) => (value === null ? 'any debt' : `an LTV of ${value}`)
  return [
    ...change('Points per $ supplied', before.basePointsDeposit, after.basePointsDeposit),
    ...change('Points per $ borrowed', before.basePointsBorrow, after.basePointsBorrow),
    ...(from === to ? [] : [`Protected supply earned points from ${ltv(from)}, now ${ltv(to)}.`]),
  ]
}

const moverColumns: Column<Entry>[] = [
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  {
    name: 'Pool',
    cell: ({ pool }) =>
      pool ? (
        <PoolLink
          address={pool.address}
          name={pool.displayName}
          tokens={[pool.assetA, pool.assetB]}
        />
      ) : (
        <Unknown />
      ),
  },
  ...pointsChangeColumns(),
]

/** The largest changes of points. */
const Movers = ({ run }: { run: NonNullable<RunChangesQuery['run']> }) => (
  <>
    <h2>Largest changes</h2>
    {run.changes.nodes.length === 0 ? (
      <Empty>{run.changesNotKept ?? 'No points have changed.'}</Empty>
    ) : (
      <Table
        caption="Largest changes"
        columns={moverColumns}
        rows={run.changes.nodes}
        rowKey={({ id }) => id}
      />
    )}
  </>
)
