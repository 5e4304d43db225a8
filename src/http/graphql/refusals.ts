import { Counter, type Registry } from 'prom-client'
import { REFUSALS } from '../../errors.ts'
import { UNPLANNED } from '../../graphql/execution/operation.ts'

/** The error code of a subscription that was rejected because all slots are taken. */
export const NO_SLOT = 'UNAVAILABLE'

/** Codes of operations that failed in the store or by a fault of ours. */
export const FAILURES = ['UNAVAILABLE', 'TIMEOUT', 'INTERNAL']

export function countOperations(metrics: Registry) {
  const registers = [metrics]
  const refusals = new Counter({
    name: 'gateway_graphql_refusals_total',
    help:
      'GraphQL operations that this process rejected before running them, by error code. ' +
      `${NO_SLOT}: a subscription over the limit.`,
    labelNames: ['code'],
    registers,
  })
  const failures = new Counter({
    name: 'gateway_graphql_failures_total',
    help: 'GraphQL operations that failed in the store or by a fault of this server, by error code.',
    labelNames: ['code'],
    registers,
  })
  const unplanned = new Counter({
    name: 'gateway_graphql_unplanned_total',
    help:
      'GraphQL queries that ran on resolvers, which is slower than a plan, by the reason: the ' +
      `first field without a plan; ${UNPLANNED.selection}: how fields are selected; ` +
      `${UNPLANNED.request}: how they are requested.`,
    labelNames: ['reason'],
    registers,
  })
  for (const code of [...Object.keys(REFUSALS), NO_SLOT]) refusals.inc({ code }, 0)
  for (const code of FAILURES) failures.inc({ code }, 0)
  for (const reason of [UNPLANNED.selection, UNPLANNED.request]) unplanned.inc({ reason }, 0)
  return {
    refusal: (code: string) => refusals.inc({ code }),
    failure(code: string) {
      if (FAILURES.includes(code)) failures.inc({ code })
    },
    unplanned: (reason: string) => unplanned.inc({ reason }),
  }
}
