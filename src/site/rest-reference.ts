import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeHtml, markdown } from './html.ts'
import type { Page } from './page.ts'

interface Operation {
  summary: string
  description?: string
  tags: string[]
  deprecated?: boolean
  parameters?: { name: string; in: string; required?: boolean; description?: string }[]
  responses: Record<string, { description: string }>
}

interface Document {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
}

/** Every endpoint of the OpenAPI document, in a list that can be searched. */
export function restPage(root: string): Page {
  const document: Document = JSON.parse(
    readFileSync(join(root, 'src/generated/openapi.json'), 'utf8'),
  )
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  )
  const groups = document.tags.map(({ name, description }) => {
    const ofTag = operations.filter(({ tags }) => tags.includes(name))
    return `<h2>${name}</h2>\n${markdown(description)}\n${ofTag.map(section).join('\n')}`
  })
  return {
    path: 'rest-reference',
    title: 'REST endpoints',
    file: undefined,
    content: `<h1>REST endpoints</h1>
<p>Try them in the <a href="/docs/rest">interactive documentation</a>, which has examples and schemas too. The
<a href="/openapi.json">OpenAPI document</a> is their definition.</p>
${groups.join('\n')}`,
  }
}

function section({
  path,
  method,
  summary,
  description = '',
  parameters = [],
  responses,
}: Operation & Endpoint): string {
  const items = parameters.map(
    ({ name, in: where, required, description = '' }) =>
      `<li><code><b>${name}</b></code> (${where}${required ? ', required' : ''}) ` +
      `${markdown(description)}</li>`,
  )
  const answers = Object.entries(responses).map(
    ([status, answer]) => `<li><code>${status}</code> ${markdown(answer.description)}</li>`,
  )
  return `<h3><code>${method} ${escapeHtml(path)}</code></h3>
<p>${escapeHtml(summary)}.</p>
${markdown(description)}
${items.length > 0 ? `<p>Parameters:</p><ul>${items.join('\n')}</ul>` : ''}
<p>Answers:</p><ul>${answers.join('\n')}</ul>`
}

interface Endpoint {
  path: string
  method: string
}
