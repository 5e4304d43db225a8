import { statfs } from 'node:fs/promises'

/** The free bytes of the disk with a path, for users without special rights. */
export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}
