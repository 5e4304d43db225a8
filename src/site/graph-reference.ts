import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  print,
} from 'graphql'
import { type Example, examples, personas } from '../graphql/examples.ts'
import { deprecatedElements } from '../graphql/policy/deprecations.ts'
import { escapeHtml, markdown } from './html.ts'
import { addressOf, type Page } from './page.ts'

/**
 * The pages of types, with how the names of their types begin. A type is on the page with the
 * longest beginning.
 */
const PAGES: { path: string; title: string; names: string[] }[] = [
  { path: 'graph/queries', title: 'Queries', names: ['Query'] },
  { path: 'graph/mutations', title: 'Mutations', names: ['Mutation'] },
  { path: 'graph/subscriptions', title: 'Subscriptions', names: ['Subscription', 'DataChange'] },
  {
    path: 'graph/users',
    title: 'Users',
    names: ['User', 'Leaderboard', 'Portfolio', 'Earnings', 'NetApr', 'Activity'],
  },
  {
    path: 'graph/points',
    title: 'Points and positions',
    names: ['Position', 'DailyPoints', 'DayTotals', 'Program', 'Distribution', 'Run', 'Source'],
  },
  {
    path: 'graph/pools',
    title: 'Pools, assets, multipliers',
    names: ['Pool', 'Asset', 'Multiplier'],
  },
  {
    path: 'graph/markets',
    title: 'Markets and vaults',
    names: ['Market', 'Vault', 'AprBucket', 'Snapshot', 'LiquidationReward'],
  },
  { path: 'graph/common', title: 'Common types', names: [''] },
]

/** The reference of the graph: its examples, and every type on one of its pages. */
export function graphPages(root: string): Page[] {
  const schema = buildSchema(readFileSync(join(root, 'src/generated/schema.graphql'), 'utf8'))
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  )
  const reference = new Reference(schema, new Map(types.map((type) => [type.name, pageOf(type)])))
  return [
    { path: 'graph', title: 'Examples', file: undefined, content: examplesContent() },
    {
      path: 'graph/deprecated',
      title: 'Deprecated',
      file: undefined,
      content: deprecatedContent(schema),
    },
    ...PAGES.map(({ path, title }) => {
      const ofPage = types
        .filter((type) => pageOf(type) === path)
        .sort((a, b) => a.name.localeCompare(b.name))
      const nouns = ofPage
        .map(({ name }) => name)
        .filter((name) => !/(Connection|Edge|Filter|Order|GroupBy)$/.test(name))
      const content = `<h1>Graph: ${title.toLowerCase()}</h1>
<p>Every field, argument and value of ${nouns.join(', ')}.</p>
${ofPage.map((type) => reference.typeSection(type)).join('\n')}`
      return { path, title, file: undefined, content }
    }),
  ]
}

/** The path of the page that a type is on. */
function pageOf({ name }: GraphQLNamedType): string {
  const fits = PAGES.flatMap(({ path, names }) =>
    names.map((beginning) => ({ path, beginning })),
  ).filter(({ beginning }) => name.startsWith(beginning))
  return fits.reduce((best, one) => (one.beginning.length > best.beginning.length ? one : best))
    .path
}

const linkTo = (path: string, hash: string) => `${addressOf({ path } as Page)}#${hash}`

function examplesContent(): string {
  const section = ({ name, title, query }: Example) =>
    `<h3 id="${name}">${escapeHtml(title)}</h3>
<pre><code class="language-graphql">${escapeHtml(query)}</code></pre>
<p><a href="/graphql#example=${name}" class="graphiql">Open in GraphiQL</a></p>`
  return `<h1>Graph: examples</h1>
<p>GraphiQL opens each example with variables that name records of this gateway's store.</p>
${personas
  .map((persona) => {
    const ofPersona = examples.filter((example) => example.persona === persona)
    return `<h2>${persona}</h2>\n${ofPersona.map(section).join('\n')}`
  })
  .join('\n')}`
}

/** The elements that the graph will lose, and their replacements. */
function deprecatedContent(schema: GraphQLSchema): string {
  const elements = deprecatedElements(schema)
  const rows = elements.map(
    ({ element, reason }) =>
      `<tr><td><code>${element}</code></td><td>${escapeHtml(reason)}</td></tr>`,
  )
  const table = `<table><thead><tr><th>element</th><th>replacement and removal</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>`
  return `<h1>Graph: deprecated</h1>
<p>A release keeps a deprecated element until the date of its removal. An answer to a document that uses one has
<code>extensions.deprecations</code>, with the element, its replacement and that date.</p>
${elements.length > 0 ? table : '<p>Nothing is deprecated now.</p>'}`
}

type Member = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument

class Reference {
  readonly #schema: GraphQLSchema
  readonly #pages: Map<string, string>

  constructor(schema: GraphQLSchema, pages: Map<string, string>) {
    this.#schema = schema
    this.#pages = pages
  }

  typeSection(type: GraphQLNamedType): string {
    const parts = [
      `<h2 id="${type.name}">${type.name}</h2>`,
      `<p class="kind">${kindOf(type)}${this.#relations(type)}</p>`,
      markdown(type.description ?? ''),
      this.#examples(type),
      this.#members(type),
    ]
    return parts.join('\n')
  }

  #relations(type: GraphQLNamedType): string {
    const links = (names: readonly { name: string }[]) =>
      names.map(({ name }) => this.#name(name)).join(', ')
    if (isUnionType(type)) return `: one of ${links(type.getTypes())}`
    if (isInterfaceType(type))
      return `, implemented by ${links(this.#schema.getPossibleTypes(type))}`
    if (isObjectType(type) && type.getInterfaces().length > 0)
      return `, implements ${links(type.getInterfaces())}`
    return ''
  }

  #members(type: GraphQLNamedType): string {
    if (isEnumType(type)) {
      const values = type.getValues().map((value) => {
        const id = `${type.name}.${value.name}`
        return `<dt id="${id}"><code>${value.name}</code></dt><dd>${described(value)}</dd>`
      })
      return `<dl>${values.join('\n')}</dl>`
    }
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return ''
    const fields = Object.values(type.getFields()).map((field) => this.#field(type.name, field))
    return `<dl>${fields.join('\n')}</dl>`
  }

  #field(owner: string, field: GraphQLField<unknown, unknown> | GraphQLInputField): string {
    const args = 'args' in field ? field.args : []
    const parentheses = args.length > 0 ? '(…)' : ''
    const list = args.map((arg) => `<li>${this.#signature(arg)} ${described(arg)}</li>`)
    return `<dt id="${owner}.${field.name}">${this.#signature(field, parentheses)}</dt>
<dd>${described(field)}${list.length > 0 ? `<p>Arguments:</p><ul>${list.join('\n')}</ul>` : ''}</dd>`
  }

  #signature(member: Member, parentheses = ''): string {
    const { astNode: node } = member
    const value =
      node && 'defaultValue' in node && node.defaultValue
        ? ` = ${escapeHtml(print(node.defaultValue))}`
        : ''
    return `<code><b>${member.name}</b>${parentheses}: ${this.#type(member.type)}${value}</code>`
  }

  #type(type: GraphQLType): string {
    const { name } = getNamedType(type)
    return String(type).replace(name, () => this.#name(name))
  }

  #name(name: string): string {
    const page = this.#pages.get(name)
    return page === undefined ? name : `<a href="${linkTo(page, name)}">${name}</a>`
  }

  /** The examples that begin with a field of a root type. */
  #examples(type: GraphQLNamedType): string {
    const roots = [this.#schema.getQueryType(), this.#schema.getSubscriptionType()]
    return roots.some((root) => root?.name === type.name)
      ? `<p>There are <a href="/docs/graph">examples</a> of real queries.</p>`
      : ''
  }
}

function kindOf(type: GraphQLNamedType): string {
  if (isObjectType(type)) return 'Object'
  if (isInterfaceType(type)) return 'Interface'
  if (isUnionType(type)) return 'Union'
  if (isEnumType(type)) return 'Enum'
  return isInputObjectType(type) ? 'Input' : 'Scalar'
}

function described({
  description,
  deprecationReason,
}: {
  description?: string | null
  deprecationReason?: string | null
}) {
  const deprecated = deprecationReason ? markdown(`**Deprecated.** ${deprecationReason}`) : ''
  return `${markdown(description ?? '')}${deprecated}`
}
