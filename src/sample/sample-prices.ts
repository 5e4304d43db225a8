import { normal, random } from './random.ts'
import { courses, type Token, tokens } from './sample-tokens.ts'

/** The market falls on these days, counted from the first, by about a quarter in all. */
const CRASH = { from: 52, to: 58, fall: 0.045 }

/** No price of a day is further than this from the day before. */
const LARGEST_MOVE = 0.07

const bounded = (move: number) => Math.min(Math.max(move, -LARGEST_MOVE), LARGEST_MOVE)

/**
 * The price of each token on each day: the move of the whole market, of what the token follows, and
 * a small one alone.
 */
export function samplePrices(days: number): Map<Token, number[]> {
  const numbers = Array.from({ length: days }, (_, day) => day)
  const whole = random('market')
  const market = numbers.map((day) => {
    const crashes = day >= CRASH.from && day < CRASH.to
    return 0.011 * normal(whole) - (crashes ? CRASH.fall : -0.002)
  })
  const walks = Object.fromEntries(
    Object.entries(courses).map(([name, { start, follows, move, keep }]) => {
      const rng = random(`course ${name}`)
      let alone = 0
      let level = 0
      const walk = market.map((common) => {
        const before = alone
        alone = alone * keep + move * normal(rng)
        level += bounded(follows * common + alone - before)
        return start * Math.exp(level)
      })
      return [name, walk]
    }),
  )
  return new Map(
    tokens.map((token) => {
      const rng = random(`price ${token.chainId} ${token.symbol}`)
      const { worth = 1, growth = 0, wobble = 0.0002 } = token
      let premium = 0
      const prices = (walks[token.follows] ?? []).map((course, day) => {
        premium = premium * 0.8 + wobble * normal(rng)
        return Number((course * worth * (1 + (growth * day) / 365) * (1 + premium)).toPrecision(7))
      })
      return [token, prices]
    }),
  )
}
