import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { documents, ROOT } from '../docs/markdown.ts'

/** The names that other rooms may import of a room, unless its row states more. */
const NAMES = 10

/** Written by generators. */
const OPEN = ['generated']

/** They try, measure or build parts of every room. */
const PART_OF_NO_ROOM = ['bench', 'build']

const roomOf = (file: string) => /^src\/([^/]+)\//.exec(file)?.[1]

interface Import {
  from: string
  to: string
  names: string[]
}

/** What a file imports of other files of src, also where it does so later. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const now = [...text.matchAll(/^(?:import|export) (?:type )?([^'"]*?) from '(\.[^']+)'/gm)]
  const later = [...text.matchAll(/\(await import\('(\.[^']+)'\)\)\.(\w+)/g)]
  const taken = [...text.matchAll(/const (\{[^}]*\}) = await import\('(\.[^']+)'\)/g)]
  const whole = [...text.matchAll(/\bimport\('(\.[^']+)'\)/g)]
  return [
    ...now,
    ...taken,
    ...whole.map(([, path]) => ['', '', path]),
    ...later.map(([, path, name]) => ['', name, path]),
  ].map(([, names = '', path = '']) => ({
    from: file,
    to: normalize(join(dirname(file), path)),
    names: names.replace(/\btype |\b(as|:) \w+/g, '').match(/\w+/g) ?? [],
  }))
}

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/(^|\/)dist\//.test(file))
  .map((file) => `src/${file}`)
const imports = files
  .filter((file) => !PART_OF_NO_ROOM.includes(roomOf(file) ?? ''))
  .flatMap(importsOf)
  .filter(({ from, to }) => roomOf(to) && roomOf(from) !== roomOf(to))
  .filter(({ to }) => ![...OPEN, ...PART_OF_NO_ROOM].includes(roomOf(to) ?? ''))

/** Outside of their tests and of the bench, nothing sees a part of the sources, types included. */
test('tests of other rooms import the sources through their door', () => {
  const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('sources/'))
    .flatMap((file) => importsOf(`test/${file}`))
    .filter(({ to }) => to.startsWith('src/sources/'))
  expect(tests.filter(({ to }) => to !== 'src/sources/index.ts')).toEqual([])
  expect(tests.length).toBeGreaterThan(0)
})

/** The table in src/README.md: the files of each door, by their folder. */
const table = documents
  .find(({ path }) => path === 'src/README.md')
  ?.tables.find(({ columns }) => columns.join() === 'room,door')
const doors: Record<string, string[]> = Object.fromEntries(
  (table?.rows ?? []).map(([folder = '', door = '']) => [
    `src/${folder.replaceAll('`', '').replace(/\/$/, '')}`,
    [...door.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
  ]),
)

test('other rooms import a room through the files of its door, all of which they use', () => {
  const used: Record<string, Set<string>> = {}
  for (const { to } of imports) {
    const folder = dirname(to)
    used[folder] = (used[folder] ?? new Set()).add(to.slice(folder.length + 1))
  }
  const sorted = (one: Record<string, Iterable<string>>) =>
    Object.fromEntries(Object.entries(one).map(([folder, names]) => [folder, [...names].sort()]))
  expect(sorted(used), 'the doors in src/README.md').toEqual(sorted(doors))
})

/** The number of names in the rows that state one. */
const stated = Object.fromEntries(
  (table?.rows ?? []).map(([folder = '', door = '']) => [
    `src/${folder.replaceAll('`', '').replace(/\/$/, '')}`,
    Number(/(\d+) names/.exec(door)?.[1] ?? NAMES),
  ]),
)

test.each(Object.keys(doors))(
  'other rooms know no more names of %s than its row says',
  (folder) => {
    const names = imports.filter(({ to }) => dirname(to) === folder).flatMap((one) => one.names)
    expect([...new Set(names)].length, names.join(', ')).toBeLessThanOrEqual(
      stated[folder] ?? NAMES,
    )
    expect(names.length).toBeGreaterThan(0)
  },
)
