import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  exportedFiles,
  type ReferencedKind,
  records,
  sampleRecords,
  templateFiles,
} from '../../src/domain/dataset/records.ts'
import { type DatasetFile, datasetFiles } from '../../src/sources/index.ts'
import { ROOT } from './markdown.ts'

const definedBy = (kind: ReferencedKind) =>
  datasetFiles.find((file) => records[file].defines === kind)

function namedBy(to: ReferencedKind | { kindIn: string }): string {
  if (to === 'asset')
    return '`asset_1_address` or `asset_2_address` of pools, or `assetAddress` of markets or vaults'
  if (typeof to === 'string') return `\`id\` of ${definedBy(to)}`
  return `\`id\` of markets or vaults (\`${to.kindIn}\` says which)`
}

/** The fields that name a record of another file. */
function references(): string {
  const rows = datasetFiles.flatMap((file) =>
    Object.entries(records[file].references ?? {}).map(([field, to]) => {
      return `| ${file}.jsonl | \`${field}\` | ${namedBy(to)}${typeof to === 'string' && to === 'pool' ? '' : ' on the same chain'} |`
    }),
  )
  return ['| file | field | names |', '| --- | --- | --- |', ...rows].join('\n')
}

/** What a file has, with a line of it. */
function section(file: DatasetFile): string {
  const { about, fields, key } = records[file]
  const rows = Object.entries(fields).map(([name, { what, description, absent }]) => {
    expect(description, `the description of ${name} in ${file}`).not.toBe('')
    const type = absent === undefined ? what : `${what}; optional`
    return `| ${key.includes(name) ? `**${name}**` : name} | ${type} | ${description} |`
  })
  const [sample] = sampleRecords(file)
  return [
    `### ${file}.jsonl`,
    about,
    ['| field | value | meaning |', '| --- | --- | --- |', ...rows].join('\n'),
    `\`\`\`jsonl\n${JSON.stringify(sample)}\n\`\`\``,
  ].join('\n\n')
}

/**
 * The guide's tables are what src/domain/dataset/records.ts says. `npm run generate` renews them.
 */
test('the guide to the import format is up to date', async () => {
  const path = join(ROOT, 'src/docs/import-format.md')
  const exportOnly = exportedFiles.filter((file) => !templateFiles.includes(file))
  const files = datasetFiles.filter((file) => !exportOnly.includes(file))
  const parts = {
    references: references(),
    files: files.map(section).join('\n\n'),
    exports: exportOnly.map(section).join('\n\n'),
  }
  let text = await readFile(path, 'utf8')
  for (const [name, part] of Object.entries(parts)) {
    const [before, after] = text.split(
      new RegExp(`(?<=<!-- ${name} -->\n).*(?=<!-- end ${name} -->)`, 's'),
    )
    text = `${before}\n${part}\n\n${after}`
  }
  await expect(text).toMatchFileSnapshot(path)
})
