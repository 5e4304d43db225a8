import { VaultActivityDocument, VaultChartDocument, VaultDocument } from 'lending-graph-client'
import { AddressLinks } from '../address-links.tsx'
import { Answer, Empty } from '../answer.tsx'
import { Chart } from '../chart.tsx'
import { Fact, Facts } from '../facts.tsx'
import { isAddress } from '../format.ts'
import { TokenIcons } from '../identity.tsx'
import { TokenSymbol } from '../name.tsx'
import { Newest } from '../newest.tsx'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page, Section } from '../page-frame.tsx'
import { RangeChoice, useSpan } from '../span.tsx'
import { TokenName } from '../tokens.tsx'
import { useGraph } from '../use-graph.ts'
import { Num } from '../values.tsx'

/** A vault: its token and its rate through time. */
export function Vault({ chainId, address }: { chainId: string; address: string }) {
  const isValid = isAddress(address) && /^\d{1,15}$/.test(chainId)
  const variables = { chainId: Number(chainId), address }
  const answer = useGraph(VaultDocument, variables, { pause: !isValid })
  const vault = answer.data?.vault
  const span = useSpan()
  const activity = useGraph(VaultActivityDocument, variables, { pause: !isValid })
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
                    <Num value={vault.totalAssets?.usd} unit="usd" />
                  </Fact>
                  <Fact name="Deposit APR">
                    <Num value={vault.depositApr} unit="percent" />
                  </Fact>
                  <Fact name="Users">
                    <Num value={vault.userCount} unit="count" />
                  </Fact>
                  <Fact name="Token">
                    <TokenSymbol token={vault.asset} /> <TokenName token={vault.asset} />
                  </Fact>
                </Facts>
                <Section
                  id="charts"
                  title="History"
                  operation={{ query: VaultChartDocument, variables: { ...variables, ...span } }}
                  more={<RangeChoice />}
                >
                  <Answer of={chart} charts={2}>
                    {({ vault }) =>
                      vault && (
                        <>
                          <Chart
                            title="Total assets"
                            unit="usd"
                            times={vault.series.map(({ start }) => start)}
                            series={[
                              {
                                label: 'Total assets',
                                values: vault.series.map(
                                  ({ totalAssets }) => totalAssets?.usd ?? null,
                                ),
                              },
                            ]}
                          />
                          <Chart
                            title="Deposit APR"
                            unit="percent"
                            times={vault.aprSeries.map(({ start }) => start)}
                            series={[
                              {
                                label: 'Deposit APR',
                                values: vault.aprSeries.map(({ depositApr }) => depositApr),
                              },
                            ]}
                          />
                        </>
                      )
                    }
                  </Answer>
                </Section>
                <Section
                  id="newest"
                  title="Newest activity"
                  operation={{ query: VaultActivityDocument, variables }}
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
