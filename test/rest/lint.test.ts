import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { isInstalled } from '../fire/redis-server.ts'

const run = promisify(execFile)
const HAS_REDOCLY = isInstalled('redocly')
/** Nothing is sent anywhere. */
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const args = [
  'lint',
  '--config',
  '.redocly.yaml',
  '--max-problems',
  '20',
  'src/generated/openapi.json',
]

const NAME = `redocly finds nothing wrong in the OpenAPI document${HAS_REDOCLY ? '' : ' (skipped: no redocly)'}`

it.skipIf(!HAS_REDOCLY)(NAME, { timeout: 120_000 }, async () => {
  const { stdout, stderr } = await run('redocly', args, { env })
  expect(stdout + stderr).toContain('Your API description is valid')
  expect(stdout + stderr).not.toMatch(/[1-9]\d* (warnings?|errors?)/i)
})
