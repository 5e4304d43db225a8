/** They compare files with what the code says, and write them for `npm run generate`. */
export const generated = [
  'rest/examples',
  'bench/charge-table',
  'docs/settings',
  'docs/metrics',
  'docs/import-format',
]
