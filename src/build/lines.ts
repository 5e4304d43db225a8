/**
 * `npm run lines`: the lines of the kernel by room, and two things that make it hard to read. It
 * fails above the budget. `npm run lines -- --list` names the places. The kernel is the code of src
 * that is neither generated nor a workspace.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filesIn, ROOT } from './fresh.ts'

// The lines that the kernel may have: a feature that needs more removes others first.
const BUDGET = 45_850

// Biome breaks code at this width. Texts are ours to break.
const WIDTH = 100

const TYPES = /^(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm

const rooms = new Map<string, number>()
const declared = new Map<string, string[]>()
const long: string[] = []

for (const file of await filesOfKernel()) {
  const text = await readFile(join(ROOT, file), 'utf8')
  const lines = text.trimEnd().split('\n')
  const room = file.split('/').slice(1, -1)[0] ?? '(the files of src itself)'
  rooms.set(room, (rooms.get(room) ?? 0) + lines.length)
  for (const [index, line] of lines.entries())
    if (line.length > WIDTH) long.push(`${file}:${index + 1}`)
  const names = new Set([...text.matchAll(TYPES)].map(([, name = '']) => name))
  for (const name of names) declared.set(name, [...(declared.get(name) ?? []), file])
}

const several = [...declared].filter(([, places]) => places.length > 1)
const total = [...rooms.values()].reduce((sum, lines) => sum + lines, 0)
const row = ([what, count]: [string, number]) => `${String(count).padStart(7)}  ${what}`
const report = [
  ...[...rooms].sort(([, one], [, other]) => other - one).map(row),
  row([`lines of the kernel; the budget is ${BUDGET}`, total]),
  row([`of them longer than ${WIDTH} characters`, long.length]),
  row(['names of types that several files declare', several.length]),
]
if (process.argv.includes('--list'))
  report.push(...long, ...several.map(([name, places]) => `${name}: ${places.join(', ')}`))
process.stdout.write(`${report.join('\n')}\n`)

if (total > BUDGET) {
  process.stderr.write(
    `The kernel has ${total - BUDGET} lines more than its budget, BUDGET in src/build/lines.ts. ` +
      'Remove others first, or make the feature a workspace.\n',
  )
  process.exitCode = 1
}

async function filesOfKernel(): Promise<string[]> {
  const { workspaces } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const others = [...workspaces, 'src/generated'].map((room) => `${room}/`)
  const isKernel = (file: string) =>
    /\.tsx?$/.test(file) && !others.some((room) => file.startsWith(room))
  return (await filesIn('src')).filter(isKernel)
}
