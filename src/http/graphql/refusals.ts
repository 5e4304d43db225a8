import { Counter, type Registry } from 'prom-client'
import { REFUSALS } from '../../errors.ts'

/** Refused for want of a place: the code of the error that a subscription then gets. */
export const NO_PLACE = 'UNAVAILABLE'

/** Counts in the metrics what is refused before anything of it runs. @returns counts one, by the code of its error */
export function countRefusals(metrics: Registry): (code: string) => void {
  const refusals = new Counter({
    name: 'gateway_graphql_refusals_total',
    help: `GraphQL operations that this process refused before anything of them ran, by the code of the error; ${NO_PLACE}: a subscription for which there was no place.`,
    labelNames: ['code'],
    registers: [metrics],
  })
  for (const code of [...Object.keys(REFUSALS), NO_PLACE]) refusals.inc({ code }, 0)
  return (code) => refusals.inc({ code })
}
