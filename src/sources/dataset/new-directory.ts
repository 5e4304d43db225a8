import { access, constants, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError } from '../../errors.ts'

/** A directory whose files get their names together, once all are written. */
export interface NewDirectory {
  /** Creates a file. @returns the path to write it at until the directory is complete */
  create(name: string): Promise<string>
  /**
   * Gives all files their names, when they are safe on the disk.
   * @throws BAD_INPUT if a file of such a name has appeared meanwhile, which stays
   */
  complete(): Promise<void>
  discard(): Promise<void>
}

/**
 * Creates a directory, or takes an empty one.
 * @throws BAD_INPUT if it is not empty or cannot be created
 */
export async function createDirectory(dir: string): Promise<NewDirectory> {
  const refuse = (error: NodeJS.ErrnoException): never => {
    const reason =
      error.code === 'ENOENT'
        ? 'cannot be created, as the directory above it does not exist'
        : writeFault(error)
    throw reason ? new GatewayError('BAD_INPUT', `${dir} ${reason}.`) : error
  }
  const created = await mkdir(dir).then(
    () => true,
    (error) => (error.code === 'EEXIST' ? false : refuse(error)),
  )
  const [existing] = await readdir(dir).catch(refuse)
  if (existing !== undefined)
    throw new GatewayError(
      'BAD_INPUT',
      `${dir} is not empty, it has ${existing}: name a new or an empty directory.`,
    )
  await access(dir, constants.W_OK).catch(refuse)
  const names = new Set<string>()
  const placed = new Set<string>()
  // Renaming would replace a file that is not ours.
  const place = async (name: string) => {
    const file = await open(join(dir, name), 'wx').catch((error) => {
      if (error.code !== 'EEXIST') throw error
      throw new GatewayError(
        'BAD_INPUT',
        `${dir} has a ${name} that was not there before; it stays, and nothing was written. ` +
          'Name another directory.',
      )
    })
    placed.add(name)
    await file.close()
    await rename(partial(name), join(dir, name))
  }
  const partial = (name: string) => join(dir, `${name}.partial`)
  return {
    async create(name) {
      const file = await open(partial(name), 'wx').catch((error) => {
        if (error.code !== 'EEXIST') throw error
        throw new GatewayError(
          'BAD_INPUT',
          `Another export is writing to ${dir}: name another directory.`,
        )
      })
      names.add(name)
      await file.close()
      return partial(name)
    },
    async complete() {
      for (const name of names) {
        const file = await open(partial(name), 'r+')
        await file.sync().finally(() => file.close())
      }
      for (const name of names) await place(name)
    },
    async discard() {
      for (const name of names) await rm(partial(name), { force: true })
      for (const name of placed) await rm(join(dir, name), { force: true })
      if (created) await rmdir(dir).catch(() => {})
    },
  }
}

const FAULTS: Record<string, string> = {
  EACCES: 'must not be written by this user',
  EDQUOT: 'cannot be written, as the quota of its disk is used up',
  EFBIG: 'cannot be written, as a file became too large for its file system',
  EIO: 'cannot be written, as its disk fails',
  ENOSPC: 'cannot be written, as its disk is full',
  ENOTDIR: 'is not a directory',
  EPERM: 'must not be written by this user',
  EROFS: 'is on a read-only file system',
}

/** The reason why a directory cannot be written, as a clause. Undefined for any other error. */
export const writeFault = ({ code = '' }: NodeJS.ErrnoException): string | undefined => FAULTS[code]
