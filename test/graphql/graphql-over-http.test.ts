import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

for (const audit of serverAudits({ url: () => `${gateway.base}/graphql`, fetchFn: fetch }))
  test(`${audit.id} ${audit.name}`, async () => {
    const result = await audit.fn()
    expect(result.status, 'reason' in result ? result.reason : '').toBe('ok')
  })
