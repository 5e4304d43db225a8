/** The variables of an order, given as sort keys with their directions: `TVL_USD_DESC`. */
export function orderOf(sorts: readonly string[]) {
  const parts = sorts.map((sort) => /^(.*)_(ASC|DESC)$/.exec(sort) ?? [])
  return {
    orderBy: parts.map(([, key]) => key),
    orderDirection: parts.map(([, , direction]) => direction),
  }
}

/** The arguments of an order, given as text such as `TVL_USD_DESC, POOL_ASC`. */
export function orderArguments(order: string): string {
  const { orderBy, orderDirection } = orderOf(order.split(', '))
  return order === ''
    ? 'orderBy: []'
    : `orderBy: [${orderBy.join(', ')}], orderDirection: [${orderDirection.join(', ')}]`
}
