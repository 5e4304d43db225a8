import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SearchRecord } from './search-record.ts'

interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: { name: string; description?: string }[]
}

/** Every endpoint of the OpenAPI document for the search, which leads to it on the REST page. */
export function restRecords(root: string): SearchRecord[] {
  const document: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
    readFileSync(join(root, 'src/generated/openapi.json'), 'utf8'),
  )
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, { operationId, summary, description, tags, parameters = [] }]) => ({
        group: 'REST' as const,
        page: 'REST',
        title: `${method.toUpperCase()} ${path}`,
        url: `/docs/rest#/${encodeURIComponent(tags[0] ?? '')}/${operationId}`,
        text: [`${summary}.`, description, ...parameters.map(({ name }) => name)]
          .filter(Boolean)
          .join(' '),
      }),
    ),
  )
}
