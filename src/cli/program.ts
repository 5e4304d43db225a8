import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { addHooks } from '../hooks/index.ts'
import { addKeys } from '../keys/index.ts'
import { addPublish } from '../tables/commands.ts'
import { addBasePoints } from './base-points.ts'
import { print, printText, wantsJson, warn, withDeps } from './command.ts'
import { addConfig } from './config.ts'
import { addDistribute } from './distribute.ts'
import { addDoctor } from './doctor.ts'
import { addExplain } from './explain.ts'
import { addExport } from './export.ts'
import { addImport } from './import.ts'
import { addMultipliers } from './multipliers.ts'
import { addRebuild } from './rebuild.ts'
import { addRunDates } from './run-dates.ts'
import { addRuns } from './runs.ts'
import { addSchema } from './schema.ts'
import { addSeasons } from './seasons.ts'
import { addServe } from './serve.ts'
import { misspeltSettings, settingsInShort, unusedParameters } from './settings.ts'
import { addSql } from './sql.ts'
import { addTemplate } from './template.ts'
import { addUpdate } from './update.ts'
import { addVerify } from './verify.ts'

export function createProgram(): Command {
  const program = new Command(manifest.name)
    .version(manifest.version)
    .description(
      "One GraphQL graph over a lending protocol's user analytics and points program, and its " +
        'REST APIs.',
    )
    .addHelpText(
      'after',
      () => `\nSettings, from the environment (config --help explains them):\n${settingsInShort()}`,
    )
    .showHelpAfterError(!wantsJson() && '(see --help)')
    .configureOutput({ outputError: (text, write) => wantsJson() || write(text) })
    .hook('preAction', () => {
      for (const sentence of [...misspeltSettings(process.env), ...unusedParameters(process.env)])
        warn(sentence)
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
  addSql(program)
  addConfig(program)
  addDoctor(program)
  addDistribute(program)
  addRebuild(program)
  addHooks(program)
  addKeys(program)
  addPublish(program)
  program
    .command('migrate')
    .description('bring the database tables up to date')
    .action(() =>
      withDeps((deps) => print(`The tables of the ${deps.storeName} are up to date.`), {
        MIGRATE: 'on',
      }),
    )
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .action(async () =>
      printText(JSON.stringify((await import('../http/openapi.ts')).openApiDocument(), null, 2)),
    )
  return program
}
