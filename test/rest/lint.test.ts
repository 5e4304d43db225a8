import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
/** Nothing is sent anywhere. */
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const document = 'src/generated/openapi.json'

it.each([
  ['redocly', ['lint', '--config', '.redocly.yaml', '--max-problems', '20', document], /Your API description is valid/],
  ['spectral', ['lint', '--fail-severity=hint', '--ruleset', '.spectral.yaml', document], /No results with a severity/],
])('%s finds nothing wrong in the OpenAPI document', { timeout: 120_000 }, async (linter, given, fine) => {
  const { stdout, stderr } = await run(`node_modules/.bin/${linter}`, given, { env })
  expect(stdout + stderr).toMatch(fine)
  expect((stdout + stderr).replace('No results', '')).not.toMatch(/[1-9]\d* (warnings?|errors?)/i)
})
