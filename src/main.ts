#!/usr/bin/env node
import cluster from 'node:cluster'
import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addBasePoints } from './cli/base-points.ts'
import { fail, print, wantsJson, warn, withDeps } from './cli/command.ts'
import { addCompletion } from './cli/completion.ts'
import { addConfig } from './cli/config.ts'
import { addDistribute } from './cli/distribute.ts'
import { addDoctor } from './cli/doctor.ts'
import { addExplain } from './cli/explain.ts'
import { addExport } from './cli/export.ts'
import { addImport } from './cli/import.ts'
import { addMultipliers } from './cli/multipliers.ts'
import { addRunDates } from './cli/run-dates.ts'
import { addRuns } from './cli/runs.ts'
import { addSchema } from './cli/schema.ts'
import { addSeasons } from './cli/seasons.ts'
import { addServe } from './cli/serve.ts'
import { misspeltSettings, settingsInShort } from './cli/settings.ts'
import { addTemplate } from './cli/template.ts'
import { addUpdate } from './cli/update.ts'
import { addVerify } from './cli/verify.ts'

// A closed pipe (`| head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const program = new Command(manifest.name)
  .version(manifest.version)
  .description("One GraphQL graph over a lending protocol's user analytics and points program, and its REST APIs.")
  .addHelpText('after', () => `\nSettings, from the environment (config --help explains them):\n${settingsInShort()}`)
  .showHelpAfterError(!wantsJson && '(see --help)')
  .configureOutput({ outputError: (text, write) => wantsJson || write(text) })
  .hook('preAction', () => {
    if (cluster.isPrimary) misspeltSettings(process.env).forEach(warn)
  })
  .exitOverride()

addServe(program)
addImport(program)
addExport(program)
addTemplate(program)
addRunDates(program)
addUpdate(program)
addRuns(program)
addMultipliers(program)
addBasePoints(program)
addSeasons(program)
addExplain(program)
addVerify(program)
addSchema(program)
addConfig(program)
addDoctor(program)
addDistribute(program)
addCompletion(program)
program
  .command('migrate')
  .description('bring the database tables up to date')
  .action(() => withDeps((deps) => print(`The tables of the ${deps.storeName} are up to date.`), { MIGRATE: 'on' }))
program
  .command('openapi')
  .description('print the OpenAPI document')
  .action(async () => print(JSON.stringify((await import('./http/openapi.ts')).openApiDocument(), null, 2)))

const args = process.argv.slice(2)
await program.parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' }).catch(fail)
// A timer left by a library must not keep the process alive.
process.stdout.write('', () => process.exit())
