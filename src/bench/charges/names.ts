import type { Names } from './probes.ts'

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const at = (n: number) => ({ chainId: 1, address: address(n) })

/** Records of no store, whose charges are always the same. */
export const fixedNames: Names = {
  users: Array.from({ length: 100 }, (_, i) => address(1000 + i)),
  pools: [address(1)],
  market: at(2),
  vault: at(3),
  asset: { ...at(4), symbol: 'USDC' },
  dates: Array.from({ length: 30 }, (_, i) => `2026-01-${String(i + 1).padStart(2, '0')}`),
  run: '1',
  ids: ['a'],
  counts: {},
}
