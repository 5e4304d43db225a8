import { Rows } from '../graphql/plan/plan.ts'

interface Page {
  rows: Rows
  pageInfo: { hasNextPage: boolean; endCursor?: string | null }
}

/** Reads the rows of a whole list page by page, from one snapshot, for an endpoint that is not paged. */
export async function allPages(page: (after: string | null) => Promise<Page>): Promise<Rows> {
  const pages: Rows[] = []
  for (let after: string | null = null; ; ) {
    const { rows, pageInfo } = await page(after)
    pages.push(rows)
    if (!pageInfo.hasNextPage || !pageInfo.endCursor) return Rows.joined(pages)
    after = pageInfo.endCursor
  }
}
