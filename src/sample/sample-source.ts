import type { PositionsSource } from '../sources/index.ts'

/**
 * A source without positions. The run of today that asks it fails, so that a new store shows what a
 * failed run looks like.
 */
export const sampleSource: PositionsSource = {
  name: 'the sample data',
  async positions() {
    const nothing = (async function* () {})()
    return { label: 'today', pricesName: 'the sample data', batches: nothing, receipts: () => [] }
  },
}
