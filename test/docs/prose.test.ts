import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { lexer, type Token, type Tokens } from 'marked'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { documents, ROOT } from './markdown.ts'

/** Patterns that make a sentence hard to read, and what to write instead. */
const RULES: [name: string, pattern: RegExp][] = [
  [
    'a clause as subject: start with the noun',
    /^(What|Whatever|Whether|Whoever|Where|Wherever)\b(?!.*\?)/,
  ],
  [
    'a negated noun: negate the verb',
    /(?<!\bthere )\b(is|are|was|were) (none\b|no (?!longer|more|less|fewer|later|earlier))/i,
  ],
  [
    'an own: write "its", "separate" or nothing',
    /\ban own\b|\bof (its|their|his|her|one's) own\b/i,
  ],
  ['by itself: leave it out', /\bby (itself|themselves)\b/i],
  ['beside: write "next to", "with" or "in addition to"', /\bbeside\b/i],
  ['the former: write "the previous" or the name', /\bthe former\b/i],
]

/**
 * The sentences of a text that break one of the rules. Code in backticks, quotations and headings
 * are not prose.
 */
function faults(text: string, rules = RULES): string[] {
  const prose = text
    .replace(/`[^`]*`/g, 'x')
    .replace(/"[^"]*"/g, 'x')
    .replace(/\s+/g, ' ')
    .trim()
  return prose
    .split(/(?<=[.!?:;|]) +/)
    .flatMap((sentence) =>
      rules.filter(([, rule]) => rule.test(sentence)).map(([name]) => `${name}\n    ${sentence}`),
    )
}

/** The paragraphs, items and cells of a Markdown file. */
function paragraphs(tokens: Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.type === 'paragraph' || token.type === 'text')
      return [token.text.replace(/\]\([^)]*\)/g, ']').replace(/\*\*/g, '')]
    if (token.type === 'list')
      return (token as Tokens.List).items.flatMap((item) => paragraphs(item.tokens))
    if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows].flat().map((cell) => cell.text)
    }
    return 'tokens' in token && token.type !== 'heading' ? paragraphs(token.tokens ?? []) : []
  })
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

function membersOf(type: GraphQLNamedType) {
  if (isObjectType(type) || isInterfaceType(type))
    return Object.values(type.getFields()).flatMap((field) => [field, ...field.args])
  if (isInputObjectType(type)) return Object.values(type.getFields())
  return isEnumType(type) ? type.getValues() : []
}

describe('every sentence starts with its subject, and negates its verb', () => {
  test.each(documents.map(({ path }) => path))('in %s', (path) => {
    expect(paragraphs(lexer(read(path))).flatMap((text) => faults(text))).toEqual([])
  })

  test('in the descriptions of the graph', () => {
    const schema = buildSchema(read('src/generated/schema.graphql'))
    const described = Object.values(schema.getTypeMap()).flatMap((type) => [
      type,
      ...membersOf(type),
    ])
    expect(described.length).toBeGreaterThan(1000)
    expect(
      described.flatMap(({ name, description }) =>
        faults(description ?? '').map((fault) => [name, fault]),
      ),
    ).toEqual([])
  })

  test.each(['src', 'test'])('in the comments of %s, and the sentences of src', (room) => {
    // Comments of tests and of the bench may begin with a clause.
    const isBench = (path: string) => path.startsWith('src/bench/')
    const rules = RULES.filter(([name]) => room === 'src' || !name.startsWith('a clause'))
    const files = (room === 'src' ? ['src'] : ['test', 'src/bench'])
      .flatMap((place) =>
        readdirSync(join(ROOT, place), { recursive: true, encoding: 'utf8' }).map((path) =>
          join(place, path),
        ),
      )
      .filter((path) => /\.tsx?$/.test(path) && !/(^|\/)(generated|dist|node_modules)\//.test(path))
      .filter((path) => room === 'test' || !isBench(path))
    expect(files.length).toBeGreaterThan(200)
    const wrong = files.flatMap((path) => {
      const source = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true)
      const texts = [...commentsOf(source), ...(room === 'src' ? sentencesOf(source) : [])]
      return texts.flatMap((text) => faults(text, rules)).map((fault) => `${path}: ${fault}`)
    })
    expect(wrong).toEqual([])
  })
})

function nodesOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => void children.push(child))
  return [node, ...children.flatMap(nodesOf)]
}

function commentsOf(source: ts.SourceFile): string[] {
  const { text } = source
  const ends = new Map<number, number>()
  for (const node of nodesOf(source))
    for (const { pos, end } of [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ])
      ends.set(pos, end)
  const withoutSigns = (comment: string) =>
    comment
      .replace(/^\/\*\*?|\*\/$/g, '')
      .replace(/^\s*(\*|\/\/) ?/gm, '')
      .replace(/@(returns|param \S+)/g, '.')
  return [...ends].map(([pos, end]) => withoutSigns(text.slice(pos, end)))
}

/** The texts of a program that are sentences: descriptions, settings, errors, log lines. */
function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return ''
  return node.head.text + node.templateSpans.map(({ literal }) => `x${literal.text}`).join('')
}

function sentencesOf(source: ts.SourceFile): string[] {
  return nodesOf(source).flatMap((node) => {
    const text = textOf(node)
    return text.length > 20 &&
      /^[A-Zx][\s\S]* /.test(text) &&
      !/\b(SELECT|UPDATE|INSERT)\b/.test(text)
      ? [text]
      : []
  })
}
