import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from './support/gateway.ts'
import { importDirectory } from './support/import.ts'

const suite = join(process.cwd(), '../shared/conformance')
const isThere = existsSync(join(suite, 'check.mjs'))

type Check = (base: string, list: object[]) => Promise<number>

describe.skipIf(!isThere).each(['on', 'off'])(
  `the conformance suite of ../shared, PLAN=%s${isThere ? '' : ' (skipped: it is not beside this clone)'}`,
  (plan) => {
    let gateway: Gateway

    beforeAll(async () => {
      gateway = await startGateway({ env: { PLAN: plan } })
      await importDirectory(gateway, join(suite, 'data'))
    })
    afterAll(() => gateway?.close())

    it('passes every case', { timeout: 300_000 }, async () => {
      const { check } = (await import(pathToFileURL(join(suite, 'check.mjs')).href)) as { check: Check }
      const cases = JSON.parse(readFileSync(join(suite, 'cases.json'), 'utf8')) as object[]
      expect(await check(gateway.base, cases)).toBe(0)
    })
  },
)
