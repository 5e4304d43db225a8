import { readFile } from 'node:fs/promises'
import { generate } from '@graphql-codegen/cli'
import { expect, test } from 'vitest'
import config from '../../codegen.ts'

test('the committed typed operations are those of the endpoints (npm run generate renews them)', async () => {
  const files: { filename: string; content: string }[] = await generate(
    { ...config, silent: true, errorsOnly: true },
    false,
  )
  expect(files.length).toBeGreaterThan(1)
  for (const { filename, content } of files) expect(await readFile(filename, 'utf8'), filename).toBe(content)
})
