import { EarningsChartDocument, RankChartDocument, type UserSummaryFragment, UsersDocument } from 'lending-graph-client'
import type { FormEvent } from 'react'
import { Answer, Empty } from '../answer.tsx'
import { Chart, RangeChoice, useSpan } from '../chart.tsx'
import { brief, isAddress, type Unit } from '../format.ts'
import { gapNote } from '../gaps.ts'
import { knownNumbers } from '../known-numbers.ts'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page } from '../page-frame.tsx'
import { type Column, Table } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num, WalletLink } from '../values.tsx'

/** Two wallets side by side. */
export function Compare() {
  const url = useUrlState()
  const [a, b] = [url.get('a') ?? '', url.get('b') ?? '']
  const addresses = [a, b].filter((text) => text !== '')
  const isReady = addresses.length === 2 && addresses.every(isAddress)
  const variables = { addresses: [a.toLowerCase(), b.toLowerCase()] }
  const answer = useGraph(UsersDocument, variables, { pause: !isReady })
  const compare = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const value = (name: string) => String(form.get(name)).trim() || undefined
    url.set({ a: value('a'), b: value('b') })
  }
  return (
    <Page title="Compare two wallets" {...(isReady && { operation: { query: UsersDocument, variables } })}>
      <form key={`${a} ${b}`} onSubmit={compare} className="choices">
        <label>
          First wallet
          <input name="a" placeholder="0x…" defaultValue={a} maxLength={100} spellCheck={false} />
        </label>
        <label>
          Second wallet
          <input name="b" placeholder="0x…" defaultValue={b} maxLength={100} spellCheck={false} />
        </label>
        <button type="submit">Compare</button>
      </form>
      {addresses
        .filter((text) => !isAddress(text))
        .map((text) => (
          <NotAnAddress key={text} text={text} />
        ))}
      {addresses.length < 2 && <Empty>Give the addresses of two wallets.</Empty>}
      {isReady && (
        <Answer of={answer} rows={10}>
          {({ lookupUsers: [first, second] }) => (first && second ? <Both users={[first, second]} /> : null)}
        </Answer>
      )}
    </Page>
  )
}

type Users = readonly [UserSummaryFragment, UserSummaryFragment]

const MEASURES: { name: string; unit: Unit; of(user: UserSummaryFragment): number | null; ifZero?: string }[] = [
  { name: 'Points', unit: 'points', of: (user) => user.totalPoints },
  { name: 'Rank', unit: 'count', of: (user) => user.rank },
  { name: 'Points in 7 days', unit: 'points', of: (user) => user.change?.points ?? null },
  { name: 'Net worth', unit: 'usd', of: ({ worth }) => worth?.netUsd ?? null },
  { name: 'Supplied', unit: 'usd', of: ({ worth }) => worth?.suppliedUsd ?? null },
  { name: 'Protected', unit: 'usd', of: ({ worth }) => worth?.protectedUsd ?? null },
  { name: 'In vaults', unit: 'usd', of: ({ worth }) => worth?.vaultsUsd ?? null },
  { name: 'Borrowed', unit: 'usd', of: ({ worth }) => worth?.borrowedUsd ?? null, ifZero: 'no debt' },
  { name: 'Earnings', unit: 'usd', of: (user) => knownNumbers(user).earningsUsd },
  { name: 'Net APR, deposits', unit: 'percent', of: (user) => knownNumbers(user).netDepositApr },
  { name: 'Net APR, debt', unit: 'percent', of: (user) => knownNumbers(user).netBorrowApr },
]

const Value = ({ of: { of, unit, ifZero }, user }: { of: (typeof MEASURES)[number]; user: UserSummaryFragment }) => (
  <Num value={of(user)} unit={unit} {...(ifZero && { ifZero })} />
)

function Both({ users }: { users: Users }) {
  const [a, b] = users
  const columns: Column<(typeof MEASURES)[number]>[] = [
    { name: 'Measure', heads: true, cell: ({ name }) => name },
    { name: brief(a.address), numeric: true, cell: (row) => <Value of={row} user={a} /> },
    { name: `${brief(b.address)} `, numeric: true, cell: (row) => <Value of={row} user={b} /> },
    {
      name: 'Difference',
      numeric: true,
      cell: ({ of, unit }) => {
        const [left, right] = [of(a), of(b)]
        return <Num value={left === null || right === null ? null : left - right} unit={unit} />
      },
    },
  ]
  return (
    <>
      <p>
        <WalletLink address={a.address} /> and <WalletLink address={b.address} />
      </p>
      <Table caption="Both wallets" columns={columns} rows={MEASURES} rowKey={({ name }) => name} />
      <Charts addresses={[a.address, b.address]} />
    </>
  )
}

function Charts({ addresses: [a, b] }: { addresses: readonly [string, string] }) {
  const span = useSpan()
  const ofA = [{ address: a, ...span }, { pause: !span }] as const
  const ofB = [{ address: b, ...span }, { pause: !span }] as const
  const ranks = [useGraph(RankChartDocument, ...ofA), useGraph(RankChartDocument, ...ofB)]
  const earnings = [useGraph(EarningsChartDocument, ...ofA), useGraph(EarningsChartDocument, ...ofB)]
  const names = [a, b].map(brief)
  const amounts = { unit: 'usd', names, of: earnings, note: gapNote } as const
  return (
    <section aria-labelledby="charts">
      <h2 id="charts">History</h2>
      <RangeChoice />
      <div className="charts">
        <Overlaid title="Points" unit="points" names={names} of={ranks} read={(bucket) => bucket.points} />
        <Overlaid title="Rank" unit="count" names={names} of={ranks} read={(bucket) => bucket.rank} isReversed />
        <Overlaid title="Net worth" {...amounts} read={({ worth }) => worth?.netUsd ?? null} />
        <Overlaid title="Borrowed" {...amounts} read={({ worth }) => worth?.borrowedUsd ?? null} />
        <Overlaid title="Earnings" {...amounts} read={(bucket) => bucket.earningsUsd} />
      </div>
    </section>
  )
}

interface OverlaidProps<Bucket> {
  title: string
  unit: Unit
  names: string[]
  of: ReturnType<typeof useGraph<{ user: { series: Bucket[] } }, object>>[]
  read(bucket: Bucket): number | null
  isReversed?: boolean
  /** Says what the numbers leave out. */
  note?(buckets: readonly Bucket[], read: (bucket: Bucket) => unknown): string
}

/** The same series of both wallets in one chart. */
function Overlaid<Bucket extends { start: string }>({ names, of, read, note, ...chart }: OverlaidProps<Bucket>) {
  const [first, second] = of
  if (!first || !second) return null
  return (
    <Answer of={first.error || !first.data ? first : second} charts={1}>
      {() => {
        const answered = of.flatMap(({ data }) => (data ? [data.user.series] : []))
        if (answered.length < 2) return null
        const times = [...new Set(answered.flat().map(({ start }) => start))].sort()
        const series = answered.map((buckets, i) => {
          const at = new Map(buckets.map((bucket) => [bucket.start, read(bucket)]))
          return { label: names[i] ?? '', values: times.map((time) => at.get(time) ?? null) }
        })
        const more = note?.(answered.flat(), read)
        return <Chart {...chart} times={times} series={series} {...(more && { note: more })} />
      }}
    </Answer>
  )
}
