import { writeFile } from 'node:fs/promises'
import helper from '@prisma/generator-helper'

/** Writes the key of each model, and the fields that each of its relations compares with `references` of the other model. */
helper.generatorHandler({
  onManifest: () => ({ prettyName: 'Relations', defaultOutput: 'relations.ts' }),
  async onGenerate({ dmmf, generator }) {
    const { models } = dmmf.datamodel
    const relationOf = (field) => {
      const isBack = field.relationFromFields.length === 0
      const isOther = (other) => other.relationName === field.relationName && other !== field
      const { relationFromFields, relationToFields } = isBack
        ? models.find(({ name }) => name === field.type).fields.find(isOther)
        : field
      const [fields, references] = isBack
        ? [relationToFields, relationFromFields]
        : [relationFromFields, relationToFields]
      return { model: field.type, fields, references }
    }
    const described = models.map((model) => {
      // A view has a unique key, as Prisma gives it no primary one.
      const single =
        model.fields.find(({ isId }) => isId) ?? model.fields.find(({ isUnique }) => isUnique)
      const key = model.primaryKey?.fields ?? (single ? [single.name] : model.uniqueFields[0])
      const relations = model.fields.filter(({ kind }) => kind === 'object')
      const related = Object.fromEntries(relations.map((field) => [field.name, relationOf(field)]))
      return [model.name, { key, relations: related }]
    })
    const text = JSON.stringify(Object.fromEntries(described), null, 2)
    await writeFile(
      generator.output.value,
      `// Generated from prisma/schema.prisma.\nexport const MODELS = ${text} as const\n`,
    )
  },
})
