import { GatewayError } from '../errors.ts'
import { openDirectory } from './directory.ts'
import type { PositionsSource } from './positions-source.ts'

/** The source that a POSITIONS_SOURCE setting names: a directory in the import format that holds a positions file. */
export function openPositionsSource(setting: string): PositionsSource {
  return {
    name: setting,
    async positions() {
      try {
        return await openDirectory(setting)
      } catch (error) {
        const reason = error instanceof GatewayError ? error.message : 'it cannot be read'
        throw new GatewayError('SOURCE_FAILED', `The source of positions failed: ${reason}`)
      }
    },
  }
}
