import { type Column, type Listing, type Lookup, lookupIn, sqlFields } from 'pothos-sql'
import type { Batch, Reader } from '../../db/connect/reader.ts'
import { MODELS } from '../../generated/relations.ts'

type Model = keyof typeof MODELS
type RelationOf<Name extends Model> = keyof (typeof MODELS)[Name]['relations'] & string

/** The rows of a model of schema.prisma, looked up by a unique key. */
export interface ModelLookup<Row> extends Lookup<Row> {
  model: Model
  key: readonly string[]
}

/**
 * Looks up a row of a model in its listing.
 * @param key a unique key; by default that of the model
 */
export function modelRow<Row>(
  model: Model,
  listing: Pick<Listing<Row>, 'from' | 'columns'>,
  key: readonly string[] = MODELS[model].key,
): ModelLookup<Row> {
  return { ...lookupIn(listing, ...(key as (keyof Row & string)[])), model, key }
}

/** The same for a model whose key is one column. Resolvers read its rows by Prisma. */
export const storedRow = <Row, Value>(
  model: Model,
  listing: Pick<Listing<Row>, 'from' | 'columns'>,
  read: Batch<Value, Row | null>,
): ModelLookup<Row> => ({
  ...modelRow(model, listing),
  load: (reader: Reader, keys) =>
    read(
      reader,
      keys.map(([value]) => value as Value),
    ),
})

interface Relation {
  model: Model
  fields: readonly string[]
  /** The fields of the other model that they equal. */
  references: readonly string[]
}

function relationOf<Name extends Model>(model: Name, name: RelationOf<Name>): Relation {
  return (MODELS[model].relations as Record<string, Relation>)[name] as Relation
}

/**
 * Declares a field that is the row of a relation in schema.prisma.
 * @param model the model of the rows that have the field, or from which they are summed up
 */
export function related<Name extends Model, Row>(
  model: Name,
  name: RelationOf<Name>,
  row: ModelLookup<Row>,
) {
  const { fields, references, model: other } = relationOf(model, name)
  const by = row.key.map((field) => fields[references.indexOf(field)])
  if (other !== row.model || by.includes(undefined))
    throw new Error(`${model}.${name} is not found by ${row.key}`)
  return sqlFields.lookup(row, by as string[])
}

/** Binds the rows of a listing to their owner by a relation of its model. */
export function ownerOf<Name extends Model, Field extends string>(
  model: Name,
  name: RelationOf<Name>,
  listing: { columns: Record<Field, Column> },
) {
  const { fields, references } = relationOf(model, name)
  return sqlFields.ownedBy<string>(
    listing,
    Object.fromEntries(references.map((field, i) => [field, fields[i] as string])),
  )
}
