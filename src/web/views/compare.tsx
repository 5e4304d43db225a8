import {
  type UserSummaryFragment,
  UsersChartDocument,
  type UsersChartQuery,
  UsersDocument,
  UsersOnDateDocument,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, Empty } from '../answer.tsx'
import { endOf, useAsOf } from '../as-of.tsx'
import { Chart } from '../chart.tsx'
import { isAddress, type Unit } from '../format.ts'
import { gapNote } from '../gaps.ts'
import { knownNumbers, whyNoNetApy } from '../known-numbers.ts'
import { useMyWallet } from '../my-wallet.tsx'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page, Section } from '../page-frame.tsx'
import { RangeChoice, useSpan } from '../span.tsx'
import { type Column, Table } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num, Unknown, WalletLink } from '../values.tsx'
import { WalletField } from '../wallet-field.tsx'
import { useWalletNames } from '../wallet-names.tsx'

/** As many colours as a chart has. */
const MAX_WALLETS = 5

/** The wallets, now or as of the date that is shown. */
function useUsers(addresses: string[]) {
  const { date } = useAsOf()
  const isPaused = addresses.length === 0
  const then = { addresses, asOf: date ?? '', at: endOf(date ?? '') }
  const ofNow = useGraph(UsersDocument, { addresses }, { pause: isPaused || Boolean(date) })
  const ofThen = useGraph(UsersOnDateDocument, then, { pause: isPaused || !date })
  return date
    ? { operation: { query: UsersOnDateDocument, variables: then }, answer: ofThen }
    : { operation: { query: UsersDocument, variables: { addresses } }, answer: ofNow }
}

/** Up to five wallets side by side. */
export function Compare() {
  const url = useUrlState()
  const mine = useMyWallet()
  const texts = [
    ...new Set(
      (url.get('wallets') ?? mine ?? '').split(',').map((text) => text.trim().toLowerCase()),
    ),
  ]
  const addresses = texts.filter(isAddress).slice(0, MAX_WALLETS)
  const { operation, answer } = useUsers(addresses)
  const choose = (wallets: string[]) => url.link({ wallets: wallets.join(',') || ',' })
  const add = (address: string) => url.set({ wallets: [...addresses, address].join(',') })
  return (
    <Page title="Compare wallets" {...(addresses.length > 0 && { operation })}>
      {addresses.length > 0 && (
        <ul className="chosen">
          {addresses.map((address) => (
            <li key={address}>
              <WalletLink address={address} />
              <Link
                href={choose(addresses.filter((one) => one !== address))}
                aria-label={`Remove ${address}`}
                title="Remove"
              >
                ×
              </Link>
            </li>
          ))}
        </ul>
      )}
      {addresses.length < MAX_WALLETS && (
        <div className="choices">
          <WalletField label="Add a wallet" button="Add" onWallet={add} />
        </div>
      )}
      {texts
        .filter((text) => text !== '' && !isAddress(text))
        .map((text) => (
          <NotAnAddress key={text} text={text} />
        ))}
      {addresses.length < 2 && <Empty>Add the addresses of two to five wallets.</Empty>}
      {addresses.length > 0 && (
        <Answer of={answer} rows={10}>
          {({ lookupUsers }: { lookupUsers: readonly User[] }) => <Measures users={lookupUsers} />}
        </Answer>
      )}
      {addresses.length > 0 && <Charts addresses={addresses} />}
    </Page>
  )
}

/** A wallet. Changes are those of now. */
type User = Omit<UserSummaryFragment, 'change' | 'pointsPerDay'> &
  Partial<Pick<UserSummaryFragment, 'change'>>

interface Measure {
  name: string
  unit: Unit
  of(user: User): number | null
  /** The meaning of zero, for a number that then is muted. */
  ifZero?: string
  /** Says why the number is not known. */
  why?(user: User): string | undefined
}

const WEEK = 'Points in 7 days'
const MEASURES: Measure[] = [
  { name: 'Points', unit: 'points', of: (user) => user.totalPoints },
  { name: 'Rank', unit: 'count', of: (user) => user.rank },
  { name: WEEK, unit: 'points', of: (user) => user.change?.points ?? null },
  { name: 'Net worth', unit: 'usd', of: ({ worth }) => worth?.netUsd ?? null },
  { name: 'Supplied', unit: 'usd', of: ({ worth }) => worth?.suppliedUsd ?? null },
  {
    name: 'Protected',
    unit: 'usd',
    of: ({ worth }) => worth?.protectedUsd ?? null,
    ifZero: 'nothing protected',
  },
  {
    name: 'In vaults',
    unit: 'usd',
    of: ({ worth }) => worth?.vaultsUsd ?? null,
    ifZero: 'nothing in vaults',
  },
  {
    name: 'Borrowed',
    unit: 'usd',
    of: ({ worth }) => worth?.borrowedUsd ?? null,
    ifZero: 'no debt',
  },
  { name: 'Profit', unit: 'usd', of: (user) => knownNumbers(user).profitUsd },
  {
    name: 'Net APY',
    unit: 'percent',
    of: (user) => knownNumbers(user).netApy,
    why: whyNoNetApy,
  },
  { name: 'Net APR, deposits', unit: 'percent', of: (user) => knownNumbers(user).netDepositApr },
  { name: 'Net APR, debt', unit: 'percent', of: (user) => knownNumbers(user).netBorrowApr },
]

function Measures({ users }: { users: readonly User[] }) {
  const isPast = useAsOf().date !== undefined
  const { nameOf } = useWalletNames()
  const columns: Column<Measure>[] = [
    { name: 'Measure', heads: true, cell: ({ name }) => name },
    ...users.map(
      (user): Column<Measure> => ({
        key: user.address,
        name: nameOf(user.address),
        numeric: true,
        cell: ({ of, unit, ifZero, why }) => {
          const reason = why?.(user)
          if (reason) return <Unknown why={reason} />
          return <Num value={of(user)} unit={unit} {...(ifZero && { ifZero })} />
        },
      }),
    ),
  ]
  const [a, b, more] = users
  if (a && b && !more)
    columns.push({
      name: 'Difference',
      numeric: true,
      cell: ({ of, unit }) => {
        const [left, right] = [of(a), of(b)]
        return <Num value={left === null || right === null ? null : left - right} unit={unit} />
      },
    })
  return (
    <Table
      caption="The wallets"
      columns={columns}
      rows={MEASURES.filter(({ name }) => !isPast || name !== WEEK)}
      rowKey={({ name }) => name}
    />
  )
}

type Series = UsersChartQuery['lookupUsers'][number]
type Bucket = Series['series'][number]

function Charts({ addresses }: { addresses: readonly string[] }) {
  const { nameOf } = useWalletNames()
  const span = useSpan()
  const variables = { addresses: [...addresses], ...span }
  const answer = useGraph(UsersChartDocument, variables, { pause: !span })
  return (
    <Section
      id="charts"
      title="History"
      operation={{ query: UsersChartDocument, variables }}
      more={<RangeChoice />}
    >
      <div className="charts">
        <Answer of={answer} charts={5}>
          {({ lookupUsers: users }) => {
            const chartOf = (
              title: string,
              unit: Unit,
              read: (bucket: Bucket) => number | null,
              note?: string,
            ) => ({
              ...overlaid(users, read, nameOf),
              ...{ title, unit },
              ...(note && { note }),
            })
            const buckets = users.flatMap(({ series }) => series)
            const usd = (title: string, read: (bucket: Bucket) => number | null) => (
              <Chart {...chartOf(title, 'usd', read, gapNote(buckets, read))} keepsZero />
            )
            return (
              <>
                <Chart
                  {...chartOf('Points per day', 'points', (bucket) => bucket.points)}
                  keepsZero
                />
                <Chart
                  {...chartOf('Rank', 'count', (bucket) => bucket.rank)}
                  isReversed
                  keepsZero
                />
                {usd('Net worth', ({ worth }) => worth?.netUsd ?? null)}
                {usd('Borrowed', ({ worth }) => worth?.borrowedUsd ?? null)}
                {usd('Profit', (bucket) => bucket.profitUsd)}
              </>
            )
          }}
        </Answer>
      </div>
    </Section>
  )
}

/** The same number of all wallets at all their times. */
function overlaid(
  users: readonly Series[],
  read: (bucket: Bucket) => number | null,
  nameOf: (address: string) => string,
) {
  const times = [...new Set(users.flatMap(({ series }) => series.map(({ start }) => start)))].sort()
  const series = users.map(({ address, series }) => {
    const at = new Map(series.map((bucket) => [bucket.start, read(bucket)]))
    return {
      key: address,
      label: nameOf(address),
      values: times.map((time) => at.get(time) ?? null),
    }
  })
  return { times, series }
}
