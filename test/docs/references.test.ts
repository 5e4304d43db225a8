import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  buildSchema,
  type FieldNode,
  type GraphQLField,
  isEnumType,
  type OperationDefinitionNode,
} from 'graphql'
import * as client from 'lending-graph-client'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { variables } from '../../src/config.ts'
import { records } from '../../src/domain/dataset/records.ts'
import { ERROR_CODES, REFUSALS } from '../../src/errors.ts'
import type { Endpoint } from '../../src/rest/endpoint.ts'
import { endpoints } from '../../src/rest/index.ts'
import { CHAINS } from '../../src/web/chains.ts'
import {
  codesIn,
  documentAt,
  documents,
  fromRoot,
  ROOT,
  readDocument,
  tableUnder,
} from './markdown.ts'

/** The operation that an endpoint executes. */
const operationOf = (operation: Endpoint['operation']) =>
  operation.definitions.find(
    ({ kind }) => kind === 'OperationDefinition',
  ) as OperationDefinitionNode

/** True if a selection has a field at a path. */
const selects = (
  { selectionSet }: Pick<FieldNode, 'selectionSet'>,
  [name, ...rest]: string[],
): boolean =>
  name === undefined ||
  (selectionSet?.selections ?? []).some(
    (one) => one.kind === 'Field' && one.name.value === name && selects(one, rest),
  )

/** What the documents name exists, and what their tables list is complete. */

const { scripts, workspaces }: { scripts: Record<string, string>; workspaces: string[] } =
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const files = ['src', 'test', 'prisma', '.github'].flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true }).map((name) => join(room, String(name))),
)
const schema = buildSchema(readFileSync(join(ROOT, 'src/generated/schema.graphql'), 'utf8'))
const enumValues = Object.values(schema.getTypeMap()).flatMap((type) =>
  isEnumType(type) ? type.getValues().map(({ name }) => name) : [],
)
const settings = Object.keys(variables.shape)
/** What compose.yaml and kubernetes.yaml ask for besides. */
const OF_DEPLOYMENT = ['GATEWAY_PORTS', 'POSTGRES_PASSWORD', 'OWNER_URL']
const codes = [
  ...ERROR_CODES,
  ...Object.keys(REFUSALS),
  'INTERNAL',
  'TOO_MANY_ERRORS',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_REQUEST',
]

describe.each(documents)('$path', (document) => {
  const directory = dirname(join(ROOT, document.path))

  test('links to files and headings that exist', () => {
    const broken = [...document.links, ...document.images.map(({ href }) => href)].filter(
      (link) => {
        if (/^https?:/.test(link)) return false
        const [path = '', anchor] = link.split('#')
        const target = path ? join(directory, path) : join(ROOT, document.path)
        if (!existsSync(target)) return true
        if (anchor === undefined) return false
        return !readDocument(fromRoot(target)).anchors.includes(anchor)
      },
    )
    expect(broken).toEqual([])
  })

  test('has pictures that say what they show', () => {
    for (const { href, alt } of document.images) {
      expect(alt.length, href).toBeGreaterThan(20)
      if (!href.endsWith('.svg')) continue
      const svg = readFileSync(join(directory, href), 'utf8')
      expect(svg, href).toMatch(/<title>.+<\/title>\s*<desc>.+<\/desc>/s)
      expect(svg, href).toContain('prefers-color-scheme: dark')
    }
  })

  test('names npm scripts that exist', () => {
    const named = [...document.codes, ...document.blocks.map(({ text }) => text)].flatMap((code) =>
      [...code.matchAll(/\bnpm (?:run )?(?:-s )?([a-z][\w:]*)/g)].map(([, name]) => name as string),
    )
    expect(
      named.filter(
        (name) => !['ci', 'install', 'pack', 'version', ...Object.keys(scripts)].includes(name),
      ),
    ).toEqual([])
  })

  test('names files that exist', () => {
    const commands = [...document.codes, ...document.blocks.map(({ text }) => text)].flatMap(
      (code) => [...code.matchAll(/\S*\b(?:src|test|prisma)\/[\w./-]+/g)].map(([path]) => path),
    )
    const alone = document.codes.filter(
      (code) =>
        /^[\w@-][\w.@-]*(\/[\w.@-]+)*\/?$/.test(code) &&
        /\/|\.(ts|mjs|json|graphql|prisma)$/.test(code),
    )
    const missing = [...commands, ...alone].filter((name) => {
      if (/^(application|multipart|text)\/|^lending-graph-client\/|NOUN/.test(name)) return false
      const path = name.replace(/^\.\/|^.*\/node_modules\/[\w-]+\//, '').replace(/\/$/, '')
      return ![...files, 'src', 'test', 'prisma'].some(
        (file) => file === path || file.endsWith(`/${path}`),
      )
    })
    expect(missing).toEqual([])
  })

  test('writes settings, error codes and enum values as they are', () => {
    const names = new Set([
      ...settings,
      ...codes,
      ...enumValues,
      'CONFIG_ERROR',
      'NODE_OPTIONS',
      ...OF_DEPLOYMENT,
    ])
    const prose = document.text.replace(/https?:\S+/g, '')
    const unknown = [...prose.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)]
      .map(([name]) => name)
      .filter((name) => !names.has(name))
    expect(unknown).toEqual([])
  })
})

describe('the command line', () => {
  const document = documentAt('src/cli/README.md')
  const documented = tableUnder(document, 'The command line').rows.map(
    ([usage = '', options = '']) => {
      const [, name = ''] = /^`npm run gateway -- ([a-z -]+?)(?: [A-Z[].*)?`$/.exec(usage) ?? []
      return { name, options: codesIn(options).map((option) => option.split(' ')[0] as string) }
    },
  )
  const program = createProgram()
  const help = (name: string) =>
    name
      .split(' ')
      .reduce(
        (command, name) => command.commands.find((one) => one.name() === name) ?? command,
        program,
      )
      .helpInformation()
  const commandsIn = (text: string) =>
    [...(text.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)].map(
      ([, name]) => name as string,
    )

  test('the table has every command', () => {
    const top = commandsIn(help('')).filter((name) => name !== 'help')
    const all = top.flatMap((name) => {
      const text = help(name)
      const inner = commandsIn(text).filter((one) => one !== 'help')
      const runsAlone = inner.length === 0 || /--(?!help)/.test(text.split('Commands:')[0] ?? '')
      return [...(runsAlone ? [name] : []), ...inner.map((one) => `${name} ${one}`)]
    })
    expect(documented.map(({ name }) => name).sort()).toEqual(all.sort())
  })

  test.each(documented)('$name has the options of its --help', ({ name, options }) => {
    const listed = [...help(name).matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(
      ([, option]) => option,
    )
    expect([...options].sort()).toEqual(listed.filter((option) => option !== '--help').sort())
  })
})

test('the table of error codes is complete', () => {
  const { rows } = tableUnder(documentAt('src/graphql/README.md'), 'Errors')
  expect(rows.flatMap(([cell = '']) => codesIn(cell)).sort()).toEqual([...new Set(codes)].sort())
})

/**
 * Codes of the server library that no client gets: larger bodies are refused before, and internal
 * errors are presented.
 */
const REPLACED = ['REQUEST_ENTITY_TOO_LARGE', 'INTERNAL_SERVER_ERROR']

/** Codes of the problems of payloads. */
const PROBLEMS = ['MULTIPLIER_JUMPED', 'MULTIPLIER_MISSING']

test('every code that the graph or the server library sends is an error code', () => {
  const rooms = ['src/graphql', 'src/http', 'node_modules/graphql-yoga/esm'].map((room) =>
    join(ROOT, room),
  )
  const sources = rooms.flatMap((room) =>
    readdirSync(room, { recursive: true })
      .filter((name) => /\.(ts|js)$/.test(String(name)))
      .map((name) => readFileSync(join(room, String(name)), 'utf8')),
  )
  const sent = sources.flatMap((text) =>
    [...text.matchAll(/\bcode['"]?\]? ?(?::|\|\|=|\?\?=) ?'([A-Z_]+)'/g)].map(
      ([, code]) => code as string,
    ),
  )
  expect(sent).toContain('OPERATION_RESOLUTION_FAILURE')
  const known = [...codes, ...REPLACED, ...PROBLEMS]
  expect([...new Set(sent)].filter((code) => !known.includes(code))).toEqual([])
})

test('the import format has every file with its fields and keys', () => {
  const { rows } = tableUnder(documentAt('src/cli/README.md'), 'Import')
  const listed = Object.fromEntries(
    rows.map(([file = '', fields = '']) => [
      file.replace('.jsonl', ''),
      { keys: [...fields.matchAll(/\*\*(\w+)\*\*/g)].map(([, name]) => name), fields },
    ]),
  )
  expect(Object.keys(listed).sort()).toEqual(Object.keys(records).sort())
  for (const [file, { fields, key }] of Object.entries(records)) {
    if (file === 'vault-liquidation-rewards') continue
    const text = listed[file]?.fields ?? ''
    expect([...(listed[file]?.keys ?? [])].sort(), file).toEqual([...key].sort())
    const named = (field: string) => {
      const [, side, rest] = /^([ab])([A-Z]\w+)$/.exec(field) ?? []
      return (
        new RegExp(`\\b${field}\\b`).test(text) ||
        (side !== undefined && new RegExp(`\\b${rest}\\b`).test(text))
      )
    }
    expect(
      Object.keys(fields).filter((field) => !named(field)),
      file,
    ).toEqual([])
  }
})

describe('REST', () => {
  describe('the table of twins', () => {
    const { rows } = tableUnder(
      documentAt('src/docs/legacy-client.md'),
      'Each endpoint and its twin',
    )
    const twins = rows.map((cells) => cells.slice(0, 3).map(codesIn))

    test('has every endpoint with its operation', () => {
      const operations = endpoints.map(([method, path, { operation }]) => [
        [`${method} ${path}`],
        [operationOf(operation).name?.value],
      ])
      expect(twins.map(([endpoint, operation]) => [endpoint, operation])).toEqual(operations)
    })

    test.each(twins)('%s: the operation selects what is named', (_, [name], fields = []) => {
      const [, , endpoint] =
        endpoints.find(([, , { operation }]) => operationOf(operation).name?.value === name) ?? []
      const operation = operationOf(endpoint?.operation as Endpoint['operation'])
      expect(fields.length).toBeGreaterThan(0)
      for (const field of fields) expect(selects(operation, field.split('.')), field).toBe(true)
    })
  })

  test('every path that any document names is served', () => {
    const { paths } = JSON.parse(readFileSync(join(ROOT, 'src/generated/openapi.json'), 'utf8'))
    const pages = [
      '/badge/ADDRESS.svg',
      '/dashboard',
      '/docs',
      '/docs/rest',
      '/docs/llms.txt',
      '/embed/pools/ADDRESS',
      '/embed/wallets/ADDRESS',
      '/export',
      '/graphql',
      '/import',
      '/keys',
      '/llms.txt',
      '/mcp',
      '/openapi.json',
      '/points/reports.csv',
      '/tables',
      '/tables/leaderboard',
      '/tables/leaderboard.csv',
      '/tables/leaderboard.jsonl',
      '/tables/leaderboard.parquet',
      '/tables/accounts/ADDRESS.jsonl',
      '/tables/seasons/NAME.csv',
      '/tables/seasons/NAME.json',
    ]
    const served = [...Object.keys(paths), ...pages]
    const named = documents.flatMap(({ codes }) =>
      codes.flatMap((code) => /^(?:(?:GET|POST) )?(\/[a-z][\w/{}.-]*)/.exec(code)?.[1] ?? []),
    )
    expect(named.length).toBeGreaterThan(20)
    // Every path below /dashboard is one of its views. A prefix, and a path that is not served, are
    // examples.
    const others = /^\/(etc|opt|var)\/|^\/(dashboard|lending)(\/|$)|^\/metrics\/$/
    expect(named.filter((path) => !served.includes(path) && !others.test(path))).toEqual([])
  })
})

describe('the graph', () => {
  const { rows } = tableUnder(documentAt('src/graphql/README.md'), 'Where to start')
  const fields = schema.getQueryType()?.getFields() ?? {}
  const named = rows.flatMap(([cell = '']) => codesIn(cell))

  test.each(named)('the query %s has these arguments', (code) => {
    const [, name = '', inside = ''] = /^(\w+)(?:\((.*)\))?$/.exec(code) ?? []
    const field: GraphQLField<unknown, unknown> | undefined = fields[name]
    expect(field, name).toBeDefined()
    const args = field?.args.map((arg) => arg.name)
    for (const arg of inside.split(', ').filter(Boolean)) expect(args).toContain(arg)
  })

  test('every query is in the table', () => {
    expect([...new Set(named.map((code) => code.replace(/\(.*/, '')))].sort()).toEqual(
      Object.keys(fields).sort(),
    )
  })
})

test('the client exports the operations and fragments of its table, and no others', () => {
  const { rows } = tableUnder(documentAt('src/client/README.md'), 'The typed client')
  const named = (column: number) => rows.flatMap((row) => codesIn(row[column] ?? ''))
  const exported = Object.keys(client)
  const endingWith = (end: string) => exported.filter((name) => name.endsWith(end)).sort()
  expect(named(0).sort()).toEqual(endingWith('Document'))
  expect(
    named(1)
      .map((name) => `${name}FragmentDoc`)
      .sort(),
  ).toEqual(endingWith('FragmentDoc'))
})

describe('hosts', () => {
  /**
   * Hosts that the repository may name: of specifications, tools, the price API and block
   * explorers.
   */
  const KNOWN = [
    ...Object.values(CHAINS).map(({ explorer }) => new URL(explorer).host),
    'biomejs.dev',
    'coins.llama.fi',
    'eips.ethereum.org',
    'keepachangelog.com',
    'llmstxt.org',
    'modelcontextprotocol.io',
    'semver.org',
    'specs.apollo.dev',
    'tc39.es',
    'the-guild.dev',
    'tokenlists.org',
    'www.standardwebhooks.com',
    'www.rfc-editor.org',
    'www.w3.org',
  ]
  const RESERVED = /^[^.]*$|^[\d.]+$|(^|\.)(example(\.(com|net|org))?|invalid|localhost|test)$/

  test('of every URL are known, local or reserved for examples', () => {
    const others = [
      'README.md',
      'Dockerfile',
      'compose.yaml',
      'package.json',
      ...workspaces.map((room) => `${room}/package.json`),
    ]
    const texts = [...files, ...others].filter(
      (path) =>
        /\.(?!png$)\w+$|file$/.test(path) && !/node_modules|\/dist\/|generated\/p/.test(path),
    )
    const unknown = texts.flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/https?:\/\/([a-z0-9.-]*[a-z0-9])/gi)]
        .map(([, host = '']) => host.toLowerCase())
        .filter((host) => !RESERVED.test(host) && !KNOWN.includes(host))
        .map((host) => `${path}: ${host}`),
    )
    expect([...new Set(unknown)]).toEqual([])
  })
})
