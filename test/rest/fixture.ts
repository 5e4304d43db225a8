import { join } from 'node:path'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { openDirectory } from '../../src/sources/index.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { filledTemplate, silent } from '../support/store.ts'

/** Names for what is in ../fixtures/contract. */

const at = (start: string, end: string) => `0x${start}${'0'.repeat(38 - start.length)}${end}`

export const pools = {
  ethUsdc: at('1000', '01'),
  arbUsdc: at('abcdef', '02'),
  daiEth: at('1000', '03'),
}
export const tokens = {
  eth: at('2e70', '01'),
  usdc: at('2dc0', '02'),
  arb: at('2a4b', '03'),
  dai: at('2da1', '04'),
}
/** `first` is a market on chain 1 (of ethUsdc) and another on chain 42161 (of arbUsdc). */
export const markets = {
  first: at('3a00', '1a'),
  usdc: at('3b00', '1b'),
  usdcOnL2: at('3b00', '2b'),
  dai: at('3c00', '3a'),
}
/** A vault on chain 1, another on chain 42161. */
export const vault = at('4fa0', '01')
export const users = {
  ada: at('ada0', '01'),
  bob: at('b0b0', '02'),
  cat: at('ca70', '03'),
  dan: at('da20', '04'),
  eve: at('e5e0', '05'),
  fay: at('fa40', '06'),
}
/** In the store nowhere. */
export const nobody = at('ffff', 'ff')

/**
 * The record's ids in the order of the breakdowns: newest date first, then by id (capitals come
 * first).
 */
export const recordIds = 'r3-a r3-b r3-c r2-a r2-b r2-c r2-d r1-B r1-a r1-c r1-d'.split(' ')
export const dates = [
  '2026-03-01T00:00:00.000Z',
  '2026-03-02T00:00:00.000Z',
  '2026-03-03T00:00:00.000Z',
] as const

/** Unix seconds of the three dates. */
export const [T1, T2, T3] = [1772323200, 1772409600, 1772496000] as const
/** The time of every request, unless a test moves its clock. */
export const NOW = new Date('2026-03-10T12:00:00.000Z')
export const MAX_UINT256 = 2n ** 256n - 1n

export const upper = (address: string) => address.toUpperCase()
export const hash = (byte: string) => `0x${byte.repeat(32)}`

/** A gateway on the fixture, at the time NOW. */
export async function startOnFixture(
  options: Parameters<typeof startGateway>[0] = {},
): Promise<Gateway> {
  const template = await filledTemplate('template_fixture', async (pool) => {
    const fixture = await openDirectory(join(import.meta.dirname, '../fixtures/contract'))
    await importDataset({ pool, basePoints: { deposit: 1, borrow: 0.5 }, log: silent }, fixture)
  })
  return startGateway({ now: () => NOW, template, ...options })
}

export type Json = any

/** The JSON of a path, which must answer with `status`. */
export async function jsonOf(gateway: Gateway, path: string, status = 200): Promise<Json> {
  const response = await gateway.get(path)
  const text = await response.text()
  if (response.status !== status)
    throw new Error(`${path} answered ${response.status}, not ${status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}
