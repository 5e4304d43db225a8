import { PriceShocksDocument, ShockTokensDocument } from 'lending-graph-client'
import { Answer, NothingStored } from '../answer.tsx'
import type { Draft } from '../draft.ts'
import { Fact, Facts } from '../facts.tsx'
import { HealthHistogram } from '../health-histogram.tsx'
import { HeatMap } from '../heat-map.tsx'
import { Page, Section } from '../page-frame.tsx'
import { chosenMover, type Mover, moversOf, percentText, STEPS, useChange } from '../scenario.ts'
import { ShockControls, ShockSlider } from '../shock-controls.tsx'
import { ShockCurve } from '../shock-curve.tsx'
import { ShockedPositions } from '../shocked-positions.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Day, Num } from '../values.tsx'

/**
 * A lab of price shocks: one token or group changes its price, and all that it would liquidate
 * follows the slider.
 */
export function Risk() {
  const url = useUrlState()
  const change = useChange()
  const answer = useGraph(ShockTokensDocument, {})
  const { groups, single } = moversOf(answer.data?.assets.nodes ?? [])
  const wanted = url.get('shock')
  const { mover, isUnknown } = chosenMover([...groups, ...single], wanted)
  const date = answer.data?.distributions.nodes[0]?.date
  const scenario = mover && `${mover.name} ${percentText(change.value)}`
  return (
    <Page ofNow title={scenario ? `Risk: ${scenario}` : 'Risk'}>
      <p className="lede">
        The positions that can be liquidated if one price moves and all others stay
        {date && (
          <>
            , as of <Day iso={date} />
          </>
        )}
        .
      </p>
      <Answer of={answer} rows={12}>
        {() =>
          mover ? (
            <>
              <ShockControls
                groups={groups}
                single={single}
                mover={mover}
                unknown={isUnknown ? wanted : undefined}
                onMover={(shock) => url.set({ shock, change: String(change.value) })}
                change={change}
              />
              <Lab key={mover.value} mover={mover} change={change} />
            </>
          ) : (
            <NothingStored of="pools" />
          )
        }
      </Answer>
    </Page>
  )
}

/** All that a shock changes. The steps of the slider are asked for once, other changes at rest. */
function Lab({ mover, change }: { mover: Mover; change: Draft }) {
  const { value: percent, settled } = change
  const shocksOf = (changes: number[]) => changes.map((change) => ({ ...mover.shock, change }))
  const variables = { shocks: shocksOf(STEPS) }
  const steps = useGraph(PriceShocksDocument, variables)
  const other = useGraph(
    PriceShocksDocument,
    { shocks: shocksOf([settled / 100]) },
    { pause: STEPS.includes(settled / 100) },
  )
  return (
    <Answer of={steps} rows={16}>
      {({ collateralAtRisk, poolsAtRisk }) => {
        const extra = STEPS.includes(percent / 100) ? undefined : other.data
        const totals = [...collateralAtRisk, ...(extra?.collateralAtRisk ?? [])]
        const pools = [...poolsAtRisk, ...(extra?.poolsAtRisk ?? [])]
        const now = totals.find((total) => total.change === percent / 100)
        return (
          <>
            <Facts lead>
              <Fact name="Positions at risk">
                {now ? <Num value={now.positionCount} unit="count" ifZero="no position" /> : '…'}
              </Fact>
              <Fact name="Debt at risk">
                {now ? <Num value={now.debtUsd} unit="usd" ifZero="no debt" /> : '…'}
              </Fact>
              <Fact name="Collateral at risk">
                {now ? <Num value={now.collateralUsd} unit="usd" ifZero="nothing" /> : '…'}
              </Fact>
              <Fact name="Debt of unknown health">
                {now ? <Num value={now.unknownDebtUsd} unit="usd" ifZero="no debt" /> : '…'}
                {now && (
                  <small>
                    <Num value={now.unknownPositionCount} unit="count" /> positions, not counted
                  </small>
                )}
              </Fact>
            </Facts>
            <h2 className="visually-hidden">Price shock</h2>
            <div className="lab">
              <ShockCurve name={mover.name} rows={collateralAtRisk} percent={percent}>
                <ShockSlider change={change} />
              </ShockCurve>
              <HealthHistogram />
            </div>
            <ShockedPositions mover={mover} change={settled / 100} isMoving={percent !== settled} />
            <Section
              id="by-pool"
              title="Debt at risk by pool"
              operation={{ query: PriceShocksDocument, variables }}
            >
              <HeatMap totals={totals} pools={pools} percent={percent} />
            </Section>
          </>
        )
      }}
    </Answer>
  )
}
