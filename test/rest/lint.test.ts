import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
/** Nothing is sent anywhere. */
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const args = ['lint', '--config', '.redocly.yaml', '--max-problems', '20', 'src/generated/openapi.json']

it('redocly finds nothing wrong in the OpenAPI document', { timeout: 120_000 }, async () => {
  const { stdout, stderr } = await run('node_modules/.bin/redocly', args, { env })
  expect(stdout + stderr).toContain('Your API description is valid')
  expect(stdout + stderr).not.toMatch(/[1-9]\d* (warnings?|errors?)/i)
})
