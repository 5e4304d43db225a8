import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { neededBy, PATHS } from './support/installed.ts'

/** The licenses of installed packages. All of them are free, and none asks for more than a notice. */
const FREE = [
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['Unlicense', 'CC0-1.0', 'PostgreSQL'],
]
const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8'))

/** Whether an SPDX expression allows use under free licenses alone. */
const isFree = (license = '') =>
  license
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((id) => FREE.includes(id)))

test.each(Object.entries(PATHS))('every package that %s installs has a free license', (_, path) => {
  const installed = [...neededBy(path, packages)]
  const others = installed.filter((one) => !isFree(packages[one].license))
  expect(others.map((one) => `${one}: ${packages[one].license}`)).toEqual([])
  expect(installed.length).toBeGreaterThan(0)
})
