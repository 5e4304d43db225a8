import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('callers ask a topology, and do not test which one it is', () => {
  const all = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const files = all.filter((file) => !/^(db\/topology|generated)\//.test(file))
  expect(files.length).toBeGreaterThan(300)
  const tested = files.filter((file) =>
    /[sS]harded\b|== single\b/.test(readFileSync(`src/${file}`, 'utf8')),
  )
  expect(tested).toEqual([])
})
