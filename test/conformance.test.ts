import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failedCases, startOnConformance } from './support/conformance.ts'
import { SAMPLE } from './support/extent.ts'
import type { Gateway } from './support/gateway.ts'

describe.each([true, false])('the conformance suite, plans: %s', (plan) => {
  let gateway: Gateway

  beforeAll(async () => {
    gateway = await startOnConformance({ plan })
  })
  afterAll(() => gateway?.close())

  it('passes every case', { timeout: 300_000 }, async () => {
    // REST's requests are the same with and without plans: a sample of them shows it.
    expect(await failedCases(gateway, SAMPLE && !plan ? 8 : 1)).toBe(0)
  })
})
