import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** A container may have much less. */
const NEEDED_BYTES = 4 * 2 ** 30

/**
 * Makes a directory for a database: in memory, where it is large enough, as making and removing
 * files costs less there.
 */
export async function directoryInMemory(prefix: string): Promise<string> {
  const room = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return mkdtemp(join(room > NEEDED_BYTES ? MEMORY : tmpdir(), prefix))
}
