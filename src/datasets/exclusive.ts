import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GatewayError } from '../errors.ts'
import { writeFault } from '../sources/index.ts'

const RETRY_SECONDS = 5

/**
 * Makes a function that runs one piece of work at a time, in a directory that is removed with it.
 * @param what in messages, such as `import`
 * @returns a function that throws RATE_LIMITED while another one runs
 */
export function oneAtATime(what: string) {
  let isBusy = false
  return async <Result>(work: (dir: string) => Promise<Result>): Promise<Result> => {
    if (isBusy)
      throw new GatewayError(
        'RATE_LIMITED',
        `Another ${what} is in progress. Try again in ${RETRY_SECONDS} s.`,
        [],
        RETRY_SECONDS,
      )
    isBusy = true
    let dir: string | undefined
    try {
      dir = await mkdtemp(join(tmpdir(), `gateway-${what}-`))
      return await work(dir)
    } catch (error) {
      throw fullDisk(error) ?? error
    } finally {
      isBusy = false
      if (dir) await rm(dir, { recursive: true, force: true })
    }
  }
}

function fullDisk(thrown: unknown): GatewayError | undefined {
  const { cause } = thrown as Error
  const fault = writeFault(thrown as Error) ?? (cause ? writeFault(cause as Error) : undefined)
  if (fault === undefined) return undefined
  return new GatewayError('UNAVAILABLE', `The directory of temporary files ${fault}.`)
}
