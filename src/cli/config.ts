import type { Command } from 'commander'
import { readConfig, splitUrls } from '../config.ts'
import { shownUrl } from '../secrets.ts'
import { printJson, printText, withoutEmpty } from './command.ts'
import { listSettings, type Setting, settingsInFull } from './settings.ts'
import { table } from './table.ts'

export function addConfig(program: Command): void {
  program
    .command('config')
    .description('show the settings in effect, without secrets')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      ({ command }) => `\nSettings, from the environment:\n${settingsInFull(command.createHelp())}`,
    )
    .action(showConfig)
}

function showConfig({ json }: { json?: boolean }): void {
  const env = withoutEmpty(process.env)
  readConfig(env)
  const rows = []
  for (const setting of listSettings()) {
    const text = env[setting.name]
    const value = text === undefined ? setting.default : withoutSecrets(setting, text)
    const from = text === undefined ? 'default' : 'environment'
    if (json) printJson({ name: setting.name, value: value ?? null, from })
    rows.push([setting.name, value ?? setting.defaultText, from])
  }
  if (!json) printText(table(['setting', 'value', 'from'], rows))
}

const HIDDEN = '***'

function withoutSecrets({ secret, byHost }: Setting, value: string): string {
  if (secret) return HIDDEN
  if (byHost && URL.canParse(value)) return shownUrl(value)
  const urls = splitUrls(value)
  if (urls.length > 1) return urls.map(withoutPassword).join(',')
  return withoutPassword(value)
}

function withoutPassword(value: string): string {
  if (!/^[a-z]+:\/\//i.test(value) || !URL.canParse(value)) return value
  const url = new URL(value)
  if (url.password !== '') url.password = HIDDEN
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, HIDDEN)
  return url.href
}
