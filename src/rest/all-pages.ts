interface Connection<Node> {
  nodes: Node[]
  pageInfo: { hasNextPage: boolean; endCursor?: string | null }
}

/** The rows of a whole list that a document answers without paging: page by page, all of one snapshot. */
export async function allPages<Node>(page: (after: string | null) => Promise<Connection<Node>>): Promise<Node[]> {
  const rows: Node[] = []
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo } = await page(after)
    for (const node of nodes) rows.push(node)
    if (!pageInfo.hasNextPage || !pageInfo.endCursor) return rows
    after = pageInfo.endCursor
  }
}
