import type { Reader } from '../../db/connect/reader.ts'

/** An import is looked for among so many of the newest runs. */
export const MAX_RUNS = 10_000

export interface NewestRuns {
  run: bigint | null
  import: bigint | null
  /** When the first successful run ended, which loaded the store. */
  loadedAt: Date | null
}

export async function newestRuns(reader: Reader): Promise<NewestRuns> {
  const [row] = await reader.$queryRaw<
    NewestRuns[]
  >`SELECT max(n.id) AS run, max(n.id) FILTER (WHERE n.kind = 'import') AS import,
      (SELECT finished_at FROM run WHERE status = 'succeeded' ORDER BY id LIMIT 1) AS "loadedAt"
    FROM (SELECT id, kind FROM run ORDER BY id DESC LIMIT ${MAX_RUNS}) n`
  return row ?? { run: null, import: null, loadedAt: null }
}
