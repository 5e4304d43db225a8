import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failedCases, startOnConformance } from './support/conformance.ts'
import { SAMPLE } from './support/extent.ts'
import type { Gateway } from './support/gateway.ts'

describe.each(['on', 'off'])('the conformance suite, PLAN=%s', (plan) => {
  let gateway: Gateway

  beforeAll(async () => {
    gateway = await startOnConformance({ env: { PLAN: plan } })
  })
  afterAll(() => gateway?.close())

  it('passes every case', { timeout: 300_000 }, async () => {
    // REST's requests are the same with and without plans: a sample of them shows it.
    expect(await failedCases(gateway, SAMPLE && plan === 'off' ? 8 : 1)).toBe(0)
  })
})
