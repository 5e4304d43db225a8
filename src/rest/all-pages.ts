import type { Execute } from '../graphql/execution/run.ts'
import { Rows } from '../graphql/plan/plan.ts'

interface Page {
  pageInfo: { hasNextPage: boolean; endCursor?: string | null }
}

type ExecutePage<Data> = Execute<Data, { after?: string | null }>

/** Reads the rows of a whole list, for an endpoint that is not paged: one page by one statement, several from one snapshot. */
export async function allPages<Data>(execute: ExecutePage<Data>, pageOf: (data: Data) => Page): Promise<Rows> {
  const { data, rows } = await execute.rows({ after: null })
  return pageOf(data).pageInfo.hasNextPage ? execute.snapshot((one) => eachPage(one, pageOf)) : rows
}

async function eachPage<Data>(execute: ExecutePage<Data>, pageOf: (data: Data) => Page): Promise<Rows> {
  const pages: Rows[] = []
  for (let after: string | null = null; ; ) {
    const { data, rows } = await execute.rows({ after })
    pages.push(rows)
    const { hasNextPage, endCursor } = pageOf(data).pageInfo
    if (!hasNextPage || !endCursor) return Rows.joined(pages)
    after = endCursor
  }
}
