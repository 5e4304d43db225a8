/**
 * Runs a benchmark: `npm run bench` that of speed, `npm run bench -- NAME` another one. Each begins
 * with its options.
 */
const BENCHES: Record<string, () => Promise<unknown>> = {
  speed: () => import('./speed/main.ts'),
  previous: () => import('./previous.ts'),
  path: () => import('./path.ts'),
  surfaces: () => import('./surfaces/main.ts'),
  scale: () => import('./scale/main.ts'),
  import: () => import('./import.ts'),
  resync: () => import('./resync.ts'),
  ledger: () => import('./ledger.ts'),
  readers: () => import('./readers.ts'),
  tables: () => import('./whole-tables.ts'),
  charges: () => import('./charges/main.ts'),
  manualupdate: () => import('./manualupdate.ts'),
  analytics: () => import('./analytics.ts'),
}

const hasName = process.argv[2] !== undefined && !process.argv[2].startsWith('-')
const [name = 'speed'] = hasName ? process.argv.splice(2, 1) : []
const run = BENCHES[name]
if (!run)
  throw new Error(
    `Unknown benchmark ${name}. Use one of these: ${Object.keys(BENCHES).join(', ')}.`,
  )
await run()
