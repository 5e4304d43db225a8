import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { openDirectory } from '../../src/sources/index.ts'
import { someOf } from './compare.ts'
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'
import { filledTemplate, silent } from './store.ts'

const suite = join(import.meta.dirname, '../fixtures/conformance')

/** The suite's data, in the import format. */
export const conformanceData = join(suite, 'data')

/** A template of databases with the suite's data. */
export const conformanceTemplate = () =>
  filledTemplate('template_conformance', async (pool) => {
    const data = await openDirectory(conformanceData)
    await importDataset({ pool, basePoints: { deposit: 1, borrow: 0.5 }, log: silent }, data)
  })

/** A gateway on the suite's data. */
export const startOnConformance = async (options: GatewayOptions = {}): Promise<Gateway> =>
  startGateway({ ...options, template: await conformanceTemplate() })

export interface Case {
  path: string
  method?: string
  status?: number
}

export const conformanceCases = () =>
  JSON.parse(readFileSync(join(suite, 'cases.json'), 'utf8')) as Case[]

/**
 * Sends the cases to a gateway on the suite's data. @returns how many fail; it prints which
 * @param nth of the cases, one in so many: for a store or a way to it that other tests cover too
 */
export async function failedCases({ base }: Pick<Gateway, 'base'>, nth = 1): Promise<number> {
  const { check } = (await import(pathToFileURL(join(suite, 'check.mjs')).href)) as {
    check(base: string, cases: Case[]): Promise<number>
  }
  return check(base, someOf(conformanceCases(), nth))
}
