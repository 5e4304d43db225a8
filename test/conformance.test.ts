import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failedCases, hasConformance, SKIPPED, startOnConformance } from './support/conformance.ts'
import type { Gateway } from './support/gateway.ts'

describe.skipIf(!hasConformance).each(['on', 'off'])(
  `the conformance suite of ../shared, PLAN=%s${hasConformance ? '' : SKIPPED}`,
  (plan) => {
    let gateway: Gateway

    beforeAll(async () => {
      gateway = await startOnConformance({ env: { PLAN: plan } })
    })
    afterAll(() => gateway?.close())

    it('passes every case', { timeout: 300_000 }, async () => {
      expect(await failedCases(gateway)).toBe(0)
    })
  },
)
