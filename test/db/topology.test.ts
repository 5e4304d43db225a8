import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const all = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !file.startsWith('generated/'),
)
const textOf = (file: string) => readFileSync(`src/${file}`, 'utf8')

test('callers ask a topology, and do not test which one it is', () => {
  const files = all.filter((file) => !file.startsWith('db/topology/'))
  expect(files.length).toBeGreaterThan(300)
  expect(files.filter((file) => /[sS]harded\b|== single\b/.test(textOf(file)))).toEqual([])
})

const MOST_THAT_NAME_IT = 8

test('few files name a cluster, Citus or the topology: others use the marks of db/marks.ts', () => {
  const kernel = all.filter((file) => !file.startsWith('bench/'))
  const naming = kernel.filter((file) => /citus|cluster|topology/i.test(textOf(file)))
  expect(naming.length, naming.join('\n')).toBeLessThanOrEqual(MOST_THAT_NAME_IT)
})
