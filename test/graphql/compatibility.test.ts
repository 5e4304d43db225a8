import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'
import { changesSince } from '../../src/graphql/policy/compatibility.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { command } from '../support/command-line.ts'

const released = await readFile(
  new URL('../../src/generated/released-schema.graphql', import.meta.url),
  'utf8',
)

test('nothing breaks the clients of the released schema (npm version releases the next one)', () => {
  expect(changesSince(released, createSchema()).breaking).toEqual([])
})

const before = `
  interface Node { id: ID! }
  type User implements Node { id: ID! name: String! nick: String @deprecated(reason: "Use name.") score: Score @deprecated }
  type Score { value: Float! kind: Kind! }
  type Pool implements Node { id: ID! kind: Kind! }
  enum Kind { NEW OLD LEGACY @deprecated }
  input Filter { kind: Kind text: String old: Int @deprecated }
  type Query { node: Node users(first: Int, filter: Filter, skip: Int @deprecated): [User!]! }
`
const after = (...edits: [string, string][]) => {
  const sdl = edits.reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  }, before)
  return changesSince(before, buildSchema(sdl))
}

test.each<[string, [string, string][], string[]]>([
  ['a field that is gone', [['name: String!', '']], ['User.name was removed.']],
  [
    'a field that may be null now',
    [['name: String!', 'name: String']],
    ['User.name changed type from String! to String.'],
  ],
  [
    'a type of no field of Query',
    [['type Pool implements Node { id: ID! kind: Kind! }', '']],
    ['Pool was removed.'],
  ],
  ['an enum value', [['NEW OLD', 'NEW']], ['OLD was removed from enum type Kind.']],
  ['an argument that is gone', [['first: Int,', '']], ['Query.users arg first was removed.']],
  [
    'an argument that is needed now',
    [['first: Int,', 'first: Int!,']],
    ['Query.users arg first has changed type from Int to Int!.'],
  ],
  ['an input field', [['text: String', '']], ['Filter.text was removed.']],
  [
    'an interface',
    [['type User implements Node', 'type User']],
    ['User no longer implements interface Node.'],
  ],
])('%s breaks clients, by its name', (_, edits, breaking) => {
  expect(after(...edits).breaking).toEqual(breaking)
})

test.each<[string, [string, string][]]>([
  ['a field', [['nick: String @deprecated(reason: "Use name.")', '']]],
  [
    'a field with the type that only it leads to',
    [
      ['score: Score @deprecated', ''],
      ['type Score { value: Float! kind: Kind! }', ''],
    ],
  ],
  ['an enum value', [['LEGACY @deprecated', '']]],
  ['an argument', [[', skip: Int @deprecated', '']]],
  ['an input field', [['old: Int @deprecated', '']]],
])('%s that was released as @deprecated may go', (_, edits) => {
  expect(after(...edits).breaking).toEqual([])
})

test('deprecating is no reason to take away at once', () => {
  const deprecated = before.replace('name: String!', 'name: String! @deprecated')
  expect(changesSince(before, buildSchema(deprecated)).breaking).toEqual([])
  expect(after(['name: String!', '']).breaking).toHaveLength(1)
})

test('what is new breaks nobody; a new enum value may surprise', () => {
  expect(after(['NEW OLD', 'NEW OLD NEWEST'], ['name: String!', 'name: String! age: Int'])).toEqual(
    {
      breaking: [],
      dangerous: ['NEWEST was added to enum type Kind.'],
    },
  )
})

test('the command names what breaks and fails, or says that nothing does', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-schema-'))
  const file = join(directory, 'released.graphql')
  const against = async (sdl: string) => {
    await writeFile(file, sdl)
    return command(['schema', '--against', file], {})
  }
  try {
    expect(await against(released)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing breaks'),
    })
    const more = released.replace(
      'type Asset implements Node {',
      'type Asset implements Node {\n  logo: String!\n',
    )
    expect(await against(more)).toMatchObject({
      code: 1,
      out: expect.stringContaining('Breaks clients: Asset.logo was removed.'),
    })
    expect((await against(more.replace('logo: String!', 'logo: String! @deprecated'))).code).toBe(0)
    expect((await command(['schema', '--against', join(directory, 'nothing')], {})).code).toBe(2)
  } finally {
    await rm(directory, { recursive: true })
  }
})
