const SHOWN = 20

interface Row {
  user: { change: { rank: number | null } }
}

/** Arranges rows of the leaderboard by the ranks that they gained and lost. */
export function arrangeMovers({ leaderboard }: Record<string, unknown>): Record<string, unknown> {
  const { nodes } = leaderboard as { nodes: Row[] }
  const gainOf = ({ user }: Row) => user.change.rank ?? 0
  const rows = nodes.toSorted((a, b) => gainOf(b) - gainOf(a))
  return {
    comparedWallets: nodes.length,
    gained: rows.filter((row) => gainOf(row) > 0).slice(0, SHOWN),
    lost: rows
      .filter((row) => gainOf(row) < 0)
      .reverse()
      .slice(0, SHOWN),
  }
}
