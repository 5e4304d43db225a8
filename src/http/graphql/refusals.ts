import { Counter, type Registry } from 'prom-client'
import { REFUSALS } from '../../errors.ts'

/** The error code of a subscription that was rejected because all slots are taken. */
export const NO_SLOT = 'UNAVAILABLE'

/** Counts rejected operations in the metrics. @returns a function that counts one, by error code */
export function countRefusals(metrics: Registry): (code: string) => void {
  const refusals = new Counter({
    name: 'gateway_graphql_refusals_total',
    help: `GraphQL operations that this process rejected before running them, by error code. ${NO_SLOT}: a subscription over the limit.`,
    labelNames: ['code'],
    registers: [metrics],
  })
  for (const code of [...Object.keys(REFUSALS), NO_SLOT]) refusals.inc({ code }, 0)
  return (code) => refusals.inc({ code })
}

/** Codes of operations that failed in the store or by a fault of ours. */
const FAILURES = ['UNAVAILABLE', 'TIMEOUT', 'INTERNAL']

/** Counts failed operations in the metrics. @returns a function that counts one if its error code is a failure */
export function countFailures(metrics: Registry): (code: string) => void {
  const failures = new Counter({
    name: 'gateway_graphql_failures_total',
    help: 'GraphQL operations that failed in the store or by a fault of this server, by error code.',
    labelNames: ['code'],
    registers: [metrics],
  })
  for (const code of FAILURES) failures.inc({ code }, 0)
  return (code) => {
    if (FAILURES.includes(code)) failures.inc({ code })
  }
}
