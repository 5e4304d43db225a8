import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'
import { describe, expect, test } from 'vitest'
import { documents, ROOT } from './markdown.ts'

/** Patterns that make a sentence hard to read, and what to write instead. */
const RULES: [name: string, pattern: RegExp][] = [
  ['a clause as subject: start with the noun', /^(What|Whatever|Whether|Whoever|Where|Wherever)\b(?!.*\?)/],
  [
    'a negated noun: negate the verb',
    /(?<!\bthere )\b(is|are|was|were) (none\b|no (?!longer|more|less|fewer|later|earlier))/i,
  ],
  ['an own: write "its", "separate" or nothing', /\ban own\b|\bof (its|their|his|her|one's) own\b/i],
  ['by itself: leave it out', /\bby (itself|themselves)\b/i],
  ['beside: write "next to", "with" or "in addition to"', /\bbeside\b/i],
  ['the former: write "the previous" or the name', /\bthe former\b/i],
]

/** The sentences of a text that break a rule. Code in backticks, quotations and headings are not prose. */
function faults(text: string): string[] {
  const prose = text
    .replace(/`[^`]*`/g, 'x')
    .replace(/"[^"]*"/g, 'x')
    .replace(/\s+/g, ' ')
    .trim()
  return prose
    .split(/(?<=[.!?:;|]) +/)
    .flatMap((sentence) => RULES.filter(([, rule]) => rule.test(sentence)).map(([name]) => `${name}\n    ${sentence}`))
}

/** The paragraphs, items and cells of a Markdown file. */
function paragraphs(tokens: Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.type === 'paragraph' || token.type === 'text')
      return [token.text.replace(/\]\([^)]*\)/g, ']').replace(/\*\*/g, '')]
    if (token.type === 'list') return (token as Tokens.List).items.flatMap((item) => paragraphs(item.tokens))
    if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows].flat().map((cell) => cell.text)
    }
    return 'tokens' in token && token.type !== 'heading' ? paragraphs(token.tokens ?? []) : []
  })
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('every sentence starts with its subject, and negates its verb', () => {
  test.each(documents.map(({ path }) => path))('in %s', (path) => {
    expect(paragraphs(lexer(read(path))).flatMap(faults)).toEqual([])
  })
})
