import { Counter, type Registry } from 'prom-client'
import { REFUSALS } from '../../errors.ts'
import { UNPLANNED } from '../../graphql/execution/operations.ts'

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

/** Counts in the metrics the queries that run on resolvers. @returns counts one, by its reason */
export function countUnplanned(metrics: Registry): (reason: string) => void {
  const unplanned = new Counter({
    name: 'gateway_graphql_unplanned_total',
    help: `GraphQL queries that ran on resolvers, which is slower than a plan, by the reason: the first field without a plan; ${UNPLANNED.selection}: how fields are selected; ${UNPLANNED.request}: how they are requested; ${UNPLANNED.off}. The first run of a query may count twice.`,
    labelNames: ['reason'],
    registers: [metrics],
  })
  for (const reason of Object.values(UNPLANNED)) unplanned.inc({ reason }, 0)
  return (reason) => unplanned.inc({ reason })
}

/** Codes of queries that failed although they were allowed: in the store, or by a fault of ours. */
const FAILURES = ['UNAVAILABLE', 'TIMEOUT', 'INTERNAL']

/** Counts in the metrics the operations that fail while they run. @returns counts one, if its code is that of a failure */
export function countFailures(metrics: Registry): (code: string) => void {
  const failures = new Counter({
    name: 'gateway_graphql_failures_total',
    help: 'GraphQL operations that failed in the store or by a fault of this server, by the code of the error.',
    labelNames: ['code'],
    registers: [metrics],
  })
  for (const code of FAILURES) failures.inc({ code }, 0)
  return (code) => {
    if (FAILURES.includes(code)) failures.inc({ code })
  }
}
