/**
 * How the product scales, in parts:
 *
 *     npm run bench -- scale           all of them; 30,000,000 positions take half an hour
 *                                      and 35 GB to make
 *     npm run bench -- scale --small   on 1 % of the rows, in some minutes
 *
 *     --parts LIST   of costs (of a request, and a model from them), growth (thirty times the
 *                    rows), cluster (Citus with 1, 2 and 4 workers)
 *     --seconds N    how long each kind of request is measured
 *     --data DIR     where the stores stay between runs: costs has that of `npm run bench`
 */
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { options, report } from '../report.ts'
import { killServers } from '../speed/processes.ts'
import { cluster } from './cluster.ts'
import { costs } from './costs.ts'
import { growth } from './growth.ts'
import type { Part } from './part.ts'

const PARTS: Record<string, (part: Part) => Promise<void>> = { costs, growth, cluster }

const small = process.argv.includes('--small')
const { parts, ...flags } = options(
  { seconds: 3, data: join(tmpdir(), 'gateway-speed'), parts: Object.keys(PARTS).join() },
  { seconds: 1 },
)
const unknown = parts.split(',').filter((name) => !PARTS[name])
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join()}: choose of ${Object.keys(PARTS).join(', ')}.`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    killServers()
    process.exit(1)
  })
await mkdir(flags.data, { recursive: true })
for (const name of parts.split(','))
  await PARTS[name]?.({ ...flags, small, say: (text) => process.stderr.write(`${text}\n`), report })
