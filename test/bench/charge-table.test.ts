import { parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { fieldsOf, fixedNames, marginsOf, probesOf } from '../../src/bench/index.ts'
import { compileCost, figureOf } from '../../src/graphql/policy/operation-cost.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'

const schema = createSchema()
const charge = (query: string) => figureOf(compileCost(schema, parse(query), undefined) ?? 0, {})

test('every field has a probe, which is a valid document', () => {
  const probes = probesOf(schema, fixedNames)
  const probed = new Set(probes.map(({ name }) => name))
  const fields = fieldsOf(schema).map(({ type, field }) => `${type.name}.${field.name}`)
  expect(fields.filter((name) => !probed.has(name))).toEqual([])
  for (const { query } of probes) expect(validate(schema, parse(query)), query).toEqual([])
})

/** `npm run generate` writes the table: its diff shows what a change costs. */
test('each field that is not stored with its row is charged as the table says', async () => {
  const margins = Object.entries(marginsOf(schema, fixedNames, charge))
    .filter(([, added]) => added !== 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  await expect(`${JSON.stringify(Object.fromEntries(margins), null, 2)}\n`).toMatchFileSnapshot(
    '../../src/generated/charges.json',
  )
})
