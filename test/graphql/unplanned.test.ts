import { readdirSync, readFileSync } from 'node:fs'
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  Kind,
  parse,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { expect, test } from 'vitest'
import { Operations } from '../../src/graphql/execution/operations.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'

const schema = createSchema()
const operations = new Operations(schema)

/** A value of each scalar that an argument needs. */
const VALUES: Record<string, string> = {
  Address: `"0x${'1'.repeat(40)}"`,
  Date: '"2026-01-01"',
  DateTime: '"2026-01-01"',
  SafeInt: '1',
  BigInt: '1',
  Int: '1',
  Float: '1',
  String: '"a"',
  ID: `"${btoa(`User:0x${'1'.repeat(40)}`)}"`,
}

function literal(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(type.ofType)
  if (isListType(type)) return `[${literal(type.ofType)}]`
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(isRequiredInputField)
    return `{ ${fields.map((one) => `${one.name}: ${literal(one.type)}`).join(' ')} }`
  }
  return isEnumType(type)
    ? (type.getValues()[0]?.name ?? '')
    : (VALUES[type.name] ?? `no value of ${type.name}`)
}

/** A field as it is selected, with the arguments that it needs; its own selection is to follow. */
function selected({ name, args }: GraphQLField<unknown, unknown>): string {
  const required = args.filter(isRequiredArgument).map((one) => `${one.name}: ${literal(one.type)}`)
  return required.length > 0 ? `${name}(${required.join(', ')})` : name
}

/**
 * The least that can be selected of a type. A plan knows no `__typename` of connections, edges and
 * pages.
 */
function least(type: GraphQLNamedType): string {
  if (isInterfaceType(type))
    return `{ ... on ${schema.getPossibleTypes(type)[0]?.name} { __typename } }`
  if (!isObjectType(type)) return ''
  const { nodes, cursor, hasNextPage } = type.getFields()
  if (nodes) return `{ nodes ${least(getNamedType(nodes.type))} }`
  if (cursor) return '{ cursor }'
  return hasNextPage ? '{ hasNextPage }' : '{ __typename }'
}

/**
 * Every field that a query reaches through planned ones, and whether a plan covers it there, on at
 * least one of the ways.
 */
function fieldsOfQueries(): Map<string, { planned: boolean; why: unknown }> {
  const fields = new Map<string, { planned: boolean; why: unknown }>()
  const waiting: [type: GraphQLObjectType, wrap: (selection: string) => string][] = [
    [schema.getQueryType() as GraphQLObjectType, (selection) => `{ ${selection} }`],
  ]
  // A cursor within a plain list has no plan: other ways to its field come first.
  const isPlainList = (field: GraphQLField<unknown, unknown>) =>
    Number(isListType(getNullableType(field.type)))
  for (const [type, wrap] of waiting)
    for (const field of Object.values(type.getFields()).toSorted(
      (a, b) => isPlainList(a) - isPlainList(b),
    )) {
      const name = `${type.name}.${field.name}`
      if (fields.get(name)?.planned) continue
      const target = getNamedType(field.type)
      const query = wrap(`${selected(field)} ${least(target)}`)
      const operation = operations.find(query, undefined)
      if (!operation) throw new Error(`this is not valid: ${query}`)
      const planned = operation.plan.covers()
      fields.set(name, { planned, why: field.extensions.unplanned })
      if (!planned) continue
      const own = isObjectType(target) ? [target] : []
      const objects = isInterfaceType(target) ? schema.getPossibleTypes(target) : own
      for (const one of objects) {
        const on = (selection: string) =>
          one === target ? selection : `... on ${one.name} { ${selection} }`
        waiting.push([one, (selection) => wrap(`${selected(field)} { ${on(selection)} }`)])
      }
    }
  return fields
}

test('a field says why it has no plan, exactly where it has none', () => {
  const fields = fieldsOfQueries()
  expect([...fields.values()].filter(({ planned }) => planned).length).toBeGreaterThan(250)
  for (const [field, { planned, why }] of fields)
    if (planned)
      expect(
        why,
        `${field} has a plan: it needs no reason for having none (extensions.unplanned)`,
      ).toBe(undefined)
    else
      expect(
        String(why),
        `${field} has no plan: declare its SQL (sqlFields of pothos-sql), or why it has none, in extensions.unplanned`,
      ).toMatch(/^[A-Z].+\.$/)
})

/**
 * The root fields of the client's queries that resolvers read, and why. A field leaves the list
 * once it has a plan.
 */
const RESOLVED_OF_CLIENT: Record<string, string[]> = {
  'HealthPreview healthPreview': ['It refuses moves that the stored amounts do not allow.'],
  'Hooks hooks': ['Admins read it, rarely.'],
  'Portfolio portfolio': ['It adds up the holdings of several users.'],
  'PortfolioChart portfolio': ['It adds up the holdings of several users.'],
  'PreviewDistribution previewDistribution': ['It is a run, in a separate transaction.'],
  'RunChanges run': [
    'They are put together from the ledgers of several runs. Operators read them, rarely.',
  ],
  'Search search': ['Its results are of four types, in one order.'],
  'Status status': ['It depends on the time of the request.'],
}

/** The reasons that the fields of a document have no plan. */
function reasonsIn(document: DocumentNode): string[] {
  const reasons = new Set<string>()
  const types = new TypeInfo(schema)
  const Field = () => {
    const why = types.getFieldDef()?.extensions.unplanned
    if (why) reasons.add(String(why))
  }
  visit(document, visitWithTypeInfo(types, { Field }))
  return [...reasons].sort()
}

test("plans read all root fields of the client's queries, but those of the list", () => {
  const folder = new URL('../../src/client/', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql'))
  const texts = files.map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const { definitions } = parse(texts.join('\n'))
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  const resolved: Record<string, string[]> = {}
  for (const query of definitions) {
    if (query.kind !== Kind.OPERATION_DEFINITION || query.operation !== 'query') continue
    for (const field of query.selectionSet.selections as FieldNode[]) {
      const only = { ...query, selectionSet: { ...query.selectionSet, selections: [field] } }
      const [document] = Object.values(
        separateOperations({ kind: Kind.DOCUMENT, definitions: [only, ...fragments] }),
      )
      if (!document || operations.of(document)?.plan.covers()) continue
      resolved[`${query.name?.value} ${field.name.value}`] = reasonsIn(document)
    }
  }
  expect(resolved).toEqual(RESOLVED_OF_CLIENT)
})
