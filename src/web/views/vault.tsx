import {
  LatestSnapshotsDocument,
  VaultActivityDocument,
  type VaultCardFragment,
  VaultChartDocument,
  type VaultChartQuery,
  VaultDocument,
} from 'lending-graph-client'
import { AddressLinks } from '../address-links.tsx'
import { Answer, Empty } from '../answer.tsx'
import { usePast } from '../as-of.tsx'
import { chainName } from '../chains.ts'
import { Chart } from '../chart.tsx'
import { Fact, Facts } from '../facts.tsx'
import { isAddress, type Unit } from '../format.ts'
import { HoldingsTable } from '../holdings-table.tsx'
import { TokenIcons } from '../identity.tsx'
import { TokenSymbol } from '../name.tsx'
import { Newest } from '../newest.tsx'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page, Section } from '../page-frame.tsx'
import type { ChartData } from '../plot.tsx'
import { netApy } from '../share-price.ts'
import { RangeChoice, useSpan } from '../span.tsx'
import { TokenName } from '../tokens.tsx'
import { useGraph } from '../use-graph.ts'
import { Num } from '../values.tsx'

type History = NonNullable<VaultChartQuery['vault']>
type Totals = History['series'][number]

const assetsOf = ({ totalAssets }: Totals) => totalAssets?.usd ?? null
const priceOf = ({ sharePrice }: Totals) => sharePrice
const usersOf = ({ userCount }: Totals) => userCount
const aprOf = ({ depositApr }: History['aprSeries'][number]) => depositApr

/** A chart with one line. */
const lineOf = <Bucket extends { start: string }>(
  title: string,
  unit: Unit,
  buckets: readonly Bucket[],
  of: (bucket: Bucket) => number | null,
): ChartData => ({
  title,
  unit,
  times: buckets.map(({ start }) => start),
  series: [{ label: title, values: buckets.map(of) }],
})

/** The markets that a vault lends to: it is a wallet of the markets that know it. */
function Lending({ address }: { address: string }) {
  const { at } = usePast()
  const variables = { address, ...(at && { at }) }
  const holdings = useGraph(LatestSnapshotsDocument, variables)
  return (
    <Section id="lends" title="Lends to" operation={{ query: LatestSnapshotsDocument, variables }}>
      <Answer of={holdings} rows={1}>
        {({ user: { latestSnapshots } }) =>
          latestSnapshots.length > 0 ? (
            <HoldingsTable snapshots={latestSnapshots} />
          ) : (
            <Empty>Unknown: no market has a snapshot of this vault.</Empty>
          )
        }
      </Answer>
    </Section>
  )
}

/** A vault: what a share of it is worth, its rate through time, and what it lends to. */
export function Vault({ chainId, address }: { chainId: string; address: string }) {
  const isValid = isAddress(address) && /^\d{1,15}$/.test(chainId)
  const variables = { chainId: Number(chainId), address }
  const answer = useGraph(VaultDocument, variables, { pause: !isValid })
  const vault = answer.data?.vault
  const span = useSpan()
  const { asOf, at } = usePast()
  const ofActivity = { ...variables, ...(at && { where: { time: { lte: at } } }) }
  const activity = useGraph(VaultActivityDocument, ofActivity, { pause: !isValid })
  // The graph's default are the 30 newest days.
  const ofMonth = { ...variables, ...(asOf && { to: asOf }) }
  const month = useGraph(VaultChartDocument, ofMonth, { pause: !isValid })
  const past = asOf ? month.data?.vault : undefined
  const figures = (vault: VaultCardFragment) =>
    asOf ? { ...past?.series.at(-1), depositApr: past?.aprSeries.at(-1)?.depositApr } : vault
  const chart = useGraph(
    VaultChartDocument,
    { ...variables, ...span },
    { pause: !isValid || !span },
  )
  return (
    <Page
      title={vault?.name ?? 'Vault'}
      icon={vault && <TokenIcons tokens={[vault.asset]} size={36} />}
      operation={{ query: VaultDocument, variables }}
    >
      {!isValid && <NotAnAddress text={address} />}
      {isValid && (
        <Answer of={answer} rows={4}>
          {({ vault }) =>
            vault ? (
              <>
                <AddressLinks chainId={vault.chainId} address={vault.address} />
                <Facts lead>
                  <Fact name="Total assets">
                    <Num value={figures(vault).totalAssets?.usd} unit="usd" />
                  </Fact>
                  <Fact name="Net APY, 30 days">
                    <Num value={netApy(month.data?.vault?.series ?? [])} unit="percent" />
                  </Fact>
                  <Fact name="Deposit APR">
                    <Num value={figures(vault).depositApr} unit="percent" />
                  </Fact>
                  <Fact name="Share price">
                    <Num value={figures(vault).sharePrice} unit="share" />
                    <small>
                      <TokenSymbol token={vault.asset} />
                    </small>
                  </Fact>
                  <Fact name="Users">
                    <Num value={figures(vault).userCount} unit="count" />
                  </Fact>
                </Facts>
                <p className="lede">
                  Lends <TokenSymbol token={vault.asset} /> <TokenName token={vault.asset} /> on{' '}
                  {chainName(vault.chainId)}. Net APY is the growth of a share in 30 days, after
                  fees, as a yearly rate.
                </p>
                <Section
                  id="charts"
                  title="History"
                  operation={{ query: VaultChartDocument, variables: { ...variables, ...span } }}
                  more={<RangeChoice />}
                >
                  <div className="charts">
                    <Answer of={chart} charts={4}>
                      {({ vault }) =>
                        vault && (
                          <>
                            <Chart {...lineOf('Total assets', 'usd', vault.series, assetsOf)} />
                            <Chart {...lineOf('Share price', 'share', vault.series, priceOf)} />
                            <Chart {...lineOf('Deposit APR', 'percent', vault.aprSeries, aprOf)} />
                            <Chart {...lineOf('Users', 'count', vault.series, usersOf)} />
                          </>
                        )
                      }
                    </Answer>
                  </div>
                </Section>
                <Lending address={vault.address} />
                <Section
                  id="newest"
                  title="Newest activity"
                  operation={{ query: VaultActivityDocument, variables: ofActivity }}
                >
                  <Answer of={activity} rows={10}>
                    {({ vault }) => vault && <Newest activity={vault.activity.nodes} />}
                  </Answer>
                </Section>
              </>
            ) : (
              <Empty>The store has no vault at this address. Search finds vaults by name.</Empty>
            )
          }
        </Answer>
      )}
    </Page>
  )
}
