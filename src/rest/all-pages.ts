import type { Execute } from '../graphql/execution/run.ts'
import { Rows } from '../graphql/plan/plan.ts'

interface Page {
  pageInfo: { hasNextPage: boolean; endCursor?: string | null }
}

/** Reads the rows of a whole list page by page, from one snapshot, for an endpoint that is not paged. */
export async function allPages<Data>(
  execute: Execute<Data, { after?: string | null }>,
  pageOf: (data: Data) => Page,
): Promise<Rows> {
  const pages: Rows[] = []
  for (let after: string | null = null; ; ) {
    const { data, rows } = await execute.rows({ after })
    pages.push(rows)
    const { hasNextPage, endCursor } = pageOf(data).pageInfo
    if (!hasNextPage || !endCursor) return Rows.joined(pages)
    after = endCursor
  }
}
