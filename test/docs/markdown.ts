import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { lexer, type Token, type Tokens, walkTokens } from 'marked'

export const ROOT = join(import.meta.dirname, '../..')

/** A fenced block of code. */
export interface Block {
  path: string
  /** Where it is, such as README.md:17. */
  at: string
  language: string
  text: string
  /** The paragraph before it. */
  before: string
}

export interface Table {
  heading: string
  columns: string[]
  /** The cells as they are written. */
  rows: string[][]
}

export interface Document {
  /** The path from the root. */
  path: string
  text: string
  blocks: Block[]
  tables: Table[]
  /** The targets of links and images. */
  links: string[]
  images: { href: string; alt: string }[]
  /** The texts in backticks. */
  codes: string[]
  anchors: string[]
}

/** Reads a Markdown file. */
export function readDocument(path: string): Document {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const document: Document = {
    path,
    text,
    blocks: [],
    tables: [],
    links: [],
    images: [],
    codes: [],
    anchors: [],
  }
  let heading = ''
  let before = ''
  let line = 1
  const tokens = lexer(text)
  for (const token of tokens) {
    if (token.type === 'heading') heading = token.text
    if (token.type === 'paragraph') before = token.text
    if (token.type === 'code')
      document.blocks.push({
        path,
        at: `${path}:${line}`,
        language: token.lang ?? '',
        text: token.text,
        before,
      })
    if (token.type === 'table') document.tables.push(tableOf(token as Tokens.Table, heading))
    line += token.raw.split('\n').length - 1
  }
  walkTokens(tokens, (token: Token) => {
    if (token.type === 'heading') document.anchors.push(anchorOf(token.text))
    if (token.type === 'link') document.links.push(token.href)
    if (token.type === 'image') document.images.push({ href: token.href, alt: token.text })
    if (token.type === 'codespan') document.codes.push(token.text)
  })
  return document
}

const tableOf = ({ header, rows }: Tokens.Table, heading: string): Table => ({
  heading,
  columns: header.map((cell) => cell.text),
  rows: rows.map((row) => row.map((cell) => cell.text)),
})

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** The texts in backticks of a cell. */
export const codesIn = (cell: string) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string)

/** The table under a heading. */
export function tableUnder(document: Document, heading: string, at = 0): Table {
  const table = document.tables.filter((table) => table.heading === heading)[at]
  if (!table) throw new Error(`${document.path} has no table under ${heading}`)
  return table
}

export const fromRoot = (path: string) => relative(ROOT, path)

/** Every Markdown file of the repository. */
export const documents = [
  'README.md',
  ...['src', 'test', '.github'].flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
      .map((path) => join(room, path)),
  ),
]
  .sort()
  .map(readDocument)

export function documentAt(path: string): Document {
  const document = documents.find((one) => one.path === path)
  if (!document) throw new Error(`${path} is no document of ours`)
  return document
}
