/** SQL of whether a row changes the stored one. */
export const differs = (stored: string, values: string, row: string, appended: string[]): string =>
  [
    `(${stored}) IS DISTINCT FROM (${values})`,
    ...appended.map((column) => `${row}.${column} IS NOT NULL`),
  ].join(' OR ')

/** The assignments that change the stored row `t`. */
export const changes = (row: string, values: string[], appended: string[]): string =>
  [
    ...values.map((column) => `${column} = ${row}.${column}`),
    ...appended.map(
      (column) =>
        `${column} = coalesce(t.${column} || ${row}.${column}, ${row}.${column}, t.${column})`,
    ),
  ].join(', ')
