import type { Help } from 'commander'
import * as z from 'zod'
import { splitUrls, variables } from '../config.ts'
import { readDatabaseUrl } from '../db/connect/url.ts'
import { nearest } from '../nearest.ts'

/** An environment variable, as the help and the documents tell it. */
export interface Setting {
  name: string
  description: string
  /** The values that it takes, as a phrase. */
  values: string
  /** The default as text. Undefined if there is none. */
  default: string | undefined
  /** The default in words, where the text is not enough. */
  defaultText: string
  secret: boolean
  /** True for a URL that is shown by its host. */
  byHost: boolean
}

/** Every setting, in the order of the documents. */
export function listSettings(): Setting[] {
  const { properties = {} } = z.toJSONSchema(variables, { io: 'input' })
  return Object.entries(properties).map(([name, property]) => {
    const {
      description = '',
      values,
      defaultText,
      secret,
      byHost,
      ...rest
    } = property as z.core.JSONSchema.Schema
    // A JSON schema leaves out the default of a value that is transformed.
    const schema: z.ZodType = variables.shape[name as keyof typeof variables.shape]
    const preset: unknown = schema instanceof z.ZodDefault ? schema.def.defaultValue : rest.default
    const text = textOf(preset)
    return {
      name,
      description,
      values: String(values),
      default: text,
      defaultText: String(defaultText ?? (text === undefined ? 'none' : preset)),
      secret: secret === true,
      byHost: byHost === true,
    }
  })
}

function textOf(preset: unknown): string | undefined {
  if (preset === undefined || preset === null) return undefined
  if (typeof preset !== 'object') return String(preset)
  return Object.keys(preset).length > 0 ? JSON.stringify(preset) : undefined
}

/** A sentence for each variable that looks like a misspelt setting. */
export function misspeltSettings(env: NodeJS.ProcessEnv): string[] {
  const unset = Object.keys(variables.shape).filter((name) => env[name] === undefined)
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name) && !(name in variables.shape))
    .flatMap((name) => {
      const meant = nearest(name, unset)
      return meant === undefined
        ? []
        : [`${name} is not a setting of the gateway. (Did you mean ${meant}?)`]
    })
}

/** A sentence for each parameter of the database's URLs that is not used. */
export function unusedParameters(env: NodeJS.ProcessEnv): string[] {
  return (['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URLS'] as const).flatMap(
    (name) =>
      splitUrls(env[name] ?? '').flatMap((url) => {
        const read = readDatabaseUrl(url)
        return 'unused' in read ? read.unused.map((clause) => `In ${name}, ${clause}.`) : []
      }),
  )
}

export function settingsTable(): string {
  const rows = listSettings().map(({ name, defaultText, values, description }) => [
    name,
    defaultText,
    values,
    description,
  ])
  return [['variable', 'default', 'values', 'meaning'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** The names and defaults, in lines that fit the terminal. */
export function settingsInShort(): string {
  const lines = ['']
  for (const one of listSettings()) {
    const short =
      one.default === undefined || one.default.length > 40 ? one.name : `${one.name}=${one.default}`
    const line = `${lines.at(-1)}  ${short}`
    if (line.length <= helpWidth()) lines[lines.length - 1] = line
    else lines.push(`  ${short}`)
  }
  return lines.join('\n')
}

/** The meaning of each setting, in the form of the help. */
export function settingsInFull(help: Help): string {
  help.prepareContext({ helpWidth: helpWidth() })
  const settings = listSettings()
  const longest = Math.max(...settings.map(({ name }) => name.length))
  return settings
    .map(({ name, description, values, defaultText }) =>
      help.formatItem(
        name,
        longest,
        plain(`${description} (${values}; default ${defaultText})`),
        help,
      ),
    )
    .join('\n')
}

const helpWidth = () => process.stdout.columns ?? 80
const plain = (markdown: string) =>
  markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
