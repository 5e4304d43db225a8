import { Link } from 'wouter'
import { useExactNumbers } from './exact-numbers.tsx'
import {
  brief,
  briefMoment,
  day,
  full,
  isoDay,
  moment,
  type Quantity,
  short,
  signed,
  type Unit,
} from './format.ts'
import { TokenIcons, WalletIcon } from './identity.tsx'
import { useMyWallet } from './my-wallet.tsx'
import { Name } from './name.tsx'
import { cut } from './names.ts'
import { poolPath, walletPath } from './paths.ts'
import { useWalletNames } from './wallet-names.tsx'

interface NumProps {
  /** Null where the store does not know it. */
  value: Quantity | null | undefined
  unit: Unit
  /** Follows the number, such as the token's symbol. */
  suffix?: string | null
  /** How a change is shown: with its sign and, as a gain or a loss, in colour. */
  change?: 'gain' | 'signed'
  /** The meaning of zero, such as no debt, for a number that then is muted. */
  ifZero?: string
}

/** A number for people, with all its digits on hover and for screen readers. */
export function Num({ value, unit, suffix, change, ifZero }: NumProps) {
  const { isExact } = useExactNumbers()
  if (value === null || value === undefined) return <Unknown />
  if (ifZero && Number(value) === 0)
    return (
      <data value="0" title={ifZero} className="zero">
        <span aria-hidden="true">{unit === 'usd' ? '$0' : '0'}</span>
        <span className="visually-hidden">{ifZero}</span>
      </data>
    )
  const asShown = (text: string) =>
    `${change ? signed(text) : text}${suffix ? ` ${cut(suffix)}` : ''}`
  const [brief, whole] = [asShown(short(value, unit)), asShown(full(value, unit))]
  const sign = change === 'gain' ? Math.sign(Number(value)) : 0
  const tone = [undefined, 'gain', 'loss'].at(sign)
  return (
    <data value={String(value)} title={whole} className={tone}>
      {isExact || brief === whole ? (
        whole
      ) : (
        <>
          <span aria-hidden="true">{brief}</span>
          <span className="visually-hidden">{whole}</span>
        </>
      )}
    </data>
  )
}

/** A value that the store does not have, with the reason. */
export function Unknown({ why = 'not known' }: { why?: string }) {
  return (
    <span title={why}>
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">{why}</span>
    </span>
  )
}

interface HealthFactorProps {
  factor: number | null
  /** False for a position that nothing can liquidate. */
  hasDebt: boolean
}

/** A health factor: red below 1.1, and marked below 1, when the position can be liquidated. */
export function HealthFactor({ factor, hasDebt }: HealthFactorProps) {
  if (factor === null && hasDebt)
    return <Unknown why="the liquidation LTV or a price is not known" />
  if (factor === null) return <span className="none">no debt</span>
  // A factor below 1 is never shown as 1.00.
  const unit = factor < 1 && factor >= 0.995 ? 'share' : 'factor'
  const number = <Num value={factor} unit={unit} />
  if (factor >= 1.1) return number
  if (factor >= 1) return <span className="loss">{number}</span>
  return (
    <strong className="chip liquidatable" title="can be liquidated">
      {number}
    </strong>
  )
}

export const Day = ({ iso }: { iso: string }) => (
  <time dateTime={iso} title={`${isoDay(iso)}, midnight UTC`}>
    {day(iso)}
  </time>
)

interface MomentProps {
  iso: string
  /** True in a list that says that its times are UTC. */
  isBrief?: boolean
}

export const Moment = ({ iso, isBrief = false }: MomentProps) => (
  <time dateTime={iso} title={isBrief ? moment(iso) : iso}>
    {isBrief ? briefMoment(iso) : moment(iso)}
  </time>
)

/**
 * A wallet by the name that the reader gave it, or by its address in short. The style sheet points
 * out each row with the reader's own.
 */
export function WalletLink({ address }: { address: string }) {
  const { nameOf, isNamed } = useWalletNames()
  const isMine = useMyWallet() === address
  const classes = ['named', !isNamed(address) && 'hex', isMine && 'mine'].filter(Boolean)
  return (
    <Link href={walletPath(address)} title={address} className={classes.join(' ')}>
      <WalletIcon address={address} />
      {nameOf(address)}
      {isMine && <span className="you">you</span>}
    </Link>
  )
}

interface PoolLinkProps {
  address: string
  name?: string | null | undefined
  /** Both of its tokens, whose glyphs stand before the name. */
  tokens?: Parameters<typeof TokenIcons>[0]['tokens']
}

export const PoolLink = ({ address, name, tokens }: PoolLinkProps) => (
  <Link href={poolPath(address)} title={address} className={tokens && 'named'}>
    {tokens && <TokenIcons tokens={tokens} />}
    <span>{name ? <Name kind="pool" name={name} address={address} /> : brief(address)}</span>
  </Link>
)

export const DistributionLink = ({ date }: { date: string }) => (
  <Link href={`/distributions/${isoDay(date)}`}>
    <Day iso={date} />
  </Link>
)

/** A rank. Wallets without points have none. */
export const Rank = ({ value }: { value: number | null }) =>
  value === null ? <>unranked</> : <Num value={value} unit="count" />

/** How many ranks were won or lost. */
export function RankChange({ ranks }: { ranks: number | null | undefined }) {
  if (ranks === null || ranks === undefined) return <Unknown />
  if (ranks === 0) return <data value="0">0</data>
  const up = ranks > 0
  return (
    <data value={String(ranks)} className={up ? 'gain' : 'loss'}>
      <span aria-hidden="true">{up ? '▲' : '▼'} </span>
      <span className="visually-hidden">{up ? 'up' : 'down'} </span>
      {Math.abs(ranks)}
    </data>
  )
}
