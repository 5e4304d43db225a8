import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { generateOperations } from '../../codegen.ts'

test('the committed typed operations are those of the endpoints (npm run generate renews them)', async () => {
  const files = await generateOperations()
  expect(files.length).toBeGreaterThan(1)
  for (const { path, content } of files) expect(await readFile(path, 'utf8'), path).toBe(content)
})
