import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingsTable } from '../../src/cli/settings.ts'
import { ROOT } from './markdown.ts'

/** The table of settings is what src/config.ts says. `npm run generate` renews it. */
test('the table of settings is up to date', async () => {
  const path = join(ROOT, 'src/cli/README.md')
  const [before, after] = (await readFile(path, 'utf8')).split(
    /(?<=<!-- settings -->\n\n).*(?=\n\n<!-- end -->)/s,
  )
  await expect(`${before}${settingsTable()}${after}`).toMatchFileSnapshot(path)
})
