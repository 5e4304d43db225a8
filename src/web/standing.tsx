import { StandingDocument, type StandingQuery } from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer } from './answer.tsx'
import { usePast } from './as-of.tsx'
import { Fact, Facts } from './facts.tsx'
import { useMyWallet } from './my-wallet.tsx'
import { DaysToNextRank, NextRank, Share } from './next-rank.tsx'
import { Section } from './page-frame.tsx'
import { walletPath } from './paths.ts'
import { useGraph } from './use-graph.ts'
import { Num, Rank, RankChange } from './values.tsx'
import { useWalletNames } from './wallet-names.tsx'

/** The standing of a wallet on the date that is shown. */
function useStanding(address: string) {
  const past = usePast()
  const { asOf } = past
  const variables = { address, ...past, ...(asOf && { scope: { asOf } }) }
  return { variables, isPast: asOf !== undefined, answer: useGraph(StandingDocument, variables) }
}

/** The row of a wallet on the leaderboard, and the one above it. */
function rowsOf({ user, leaderboardAround: { nodes } }: StandingQuery) {
  const at = nodes.findIndex((one) => one.user.id === user.id)
  return { row: nodes[at], above: nodes[at - 1] }
}

/** The distance to the next rank, in points and in days, below a wallet's rank. */
export function NextRankNote({ address }: { address: string }) {
  const { answer, isPast } = useStanding(address)
  const { data } = answer
  const { row, above } = data ? rowsOf(data) : {}
  if (!row || !above || row.points === 0) return null
  return (
    <>
      <small>
        <NextRank row={row} above={above} /> points to the next rank
      </small>
      {!isPast && (
        <small>
          <DaysToNextRank row={row} above={above} />
        </small>
      )}
    </>
  )
}

/** A wallet's share of all points. */
export function ShareNote({ address }: { address: string }) {
  const { data } = useStanding(address).answer
  if (!data) return null
  return (
    <small>
      <Share of={data.user.totalPoints} all={data.program.totalPoints} /> of all points
    </small>
  )
}

/** The reader's own wallet: where it stands, what it is worth, and its risk. */
export function MyStanding() {
  const address = useMyWallet()
  return address ? <Card address={address} /> : null
}

function Card({ address }: { address: string }) {
  const { nameOf } = useWalletNames()
  const { variables, answer, isPast } = useStanding(address)
  return (
    <Section
      id="you"
      title="You"
      operation={{ query: StandingDocument, variables }}
      more={<Link href={walletPath(address)}>{nameOf(address)}</Link>}
    >
      <Answer of={answer} rows={2}>
        {(data) => <Figures data={data} isPast={isPast} />}
      </Answer>
    </Section>
  )
}

function Figures({ data, isPast }: { data: StandingQuery; isPast: boolean }) {
  const { user, program } = data
  const { row, above } = rowsOf(data)
  return (
    <Facts>
      <Fact name="Rank">
        <Rank value={user.totalPoints > 0 ? user.rank : null} />
        <small>
          of <Num value={program.userCount} unit="count" />
          {user.totalPoints > 0 && !isPast && (
            <>
              , <RankChange ranks={user.change?.rank} /> in 7 days
            </>
          )}
        </small>
      </Fact>
      <Fact name="Points">
        <Num value={user.totalPoints} unit="points" />
        <small>
          <Share of={user.totalPoints} all={program.totalPoints} /> of all
        </small>
      </Fact>
      {!isPast && (
        <Fact name="Points per day">
          <Num value={user.pointsPerDay} unit="points" />
          <small>
            <Link href="/planner">Plan more</Link>
          </small>
        </Fact>
      )}
      {row && (
        <Fact name="To the next rank">
          <NextRank row={row} above={above} />
          {!isPast && (
            <small>
              <DaysToNextRank row={row} above={above} />
            </small>
          )}
        </Fact>
      )}
      <Fact name="Net worth">
        <Num value={user.worth?.netUsd} unit="usd" />
      </Fact>
      {!isPast && user.worth && user.worth.borrowedUsd > 0 && (
        <Fact name="Lowest health factor">
          <Link href={`${walletPath(user.address)}#positions`}>
            <Num value={user.lowestHealthFactor} unit="factor" />
          </Link>
        </Fact>
      )}
    </Facts>
  )
}
