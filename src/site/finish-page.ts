import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join, parse } from 'node:path'
import { type CheerioAPI, load } from 'cheerio'
import highlight from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import graphql from 'highlight.js/lib/languages/graphql'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'
import { addressOf, type Page } from './page.ts'
import type { SearchRecord } from './search-record.ts'

const LANGUAGES = { bash, graphql, javascript, json, python, sql, typescript, yaml }
for (const [name, language] of Object.entries(LANGUAGES)) highlight.registerLanguage(name, language)

const mainOf = ($: CheerioAPI) => $('main')
type Elements = ReturnType<typeof mainOf>

/** The address that the documents give for the gateway. */
const GATEWAY = 'http://127.0.0.1:4000'

interface SiteLinks {
  root: string
  pages: Page[]
  /** Takes a file that pages show. @returns where it is served */
  asset(name: string, contents: Buffer): string
  /** The group of a page's records in the search. */
  groupOf(page: Page): SearchRecord['group']
}

/** A page as it is served. */
export interface FinishedPage {
  page: Page
  html: string
  /** The ids of its elements. */
  ids: Set<string>
  /**
   * The addresses in the site that it links to, as their authors wrote them and as they are served.
   */
  links: { written: string; path: string; hash: string }[]
  records: SearchRecord[]
  /** Its first paragraph. */
  summary: string
}

/**
 * Finishes a page that the generator made: gives its headings and the rows of its tables addresses,
 * turns links to files into links to pages, highlights code, lists its headings, and takes its text
 * for the search.
 */
export function finishPage(page: Page, html: string, site: SiteLinks): FinishedPage {
  const $ = load(html)
  const main = mainOf($)
  const ids = addIds($, main)
  const links = linkPages($, main, page, site)
  showImages($, main, page, site)
  highlightCode($, main)
  const summary = oneLine(main.find('p').first().text())
  const records = recordsOf($, main, page, site.groupOf(page))
  listHeadings($, main)
  labelCells($, main)
  main.find('pre').attr('tabindex', '0')
  $('meta[name=description]').attr('content', summary)
  return { page, html: $.html(), ids, links, records, summary }
}

/**
 * Gives headings the ids that GitHub gives them, and rows that begin with a name or a code the id
 * of that.
 */
function addIds($: CheerioAPI, main: Elements): Set<string> {
  const ids = new Set(
    $('[id]')
      .map((_, element) => $(element).attr('id'))
      .toArray(),
  )
  const add = (element: Elements, id: string) => {
    let unique = id
    for (let n = 1; ids.has(unique); n++) unique = `${id}-${n}`
    ids.add(unique)
    element.attr('id', unique)
  }
  for (const element of main.find('h1, h2, h3, h4').not('[id]').toArray())
    add($(element), slugOf($(element).text()))
  for (const row of main.find('tbody tr').toArray()) {
    const cell = $(row).children('td').first()
    const name = cell.text().trim()
    const isCode = cell.children('code').first().text() === name
    if ((isCode || /^\p{L}[\w.-]*$/u.test(name)) && !ids.has(name))
      add($(row), name.replace(/\s+/g, '-'))
  }
  return ids
}

/** The anchor that GitHub gives a heading. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/**
 * Turns links to the files of pages into links to the pages. Files that have no page are named, not
 * linked.
 */
function linkPages($: CheerioAPI, main: Elements, page: Page, { pages }: SiteLinks) {
  const links: FinishedPage['links'] = []
  for (const element of main.find('a[href]').toArray()) {
    const link = $(element)
    const written = link.attr('href') ?? ''
    if (written.startsWith(GATEWAY)) {
      link.attr('href', written.slice(GATEWAY.length) || '/')
      continue
    }
    if (/^[a-z]+:/i.test(written)) continue
    const [path = '', hash = ''] = decodeURI(written).split('#')
    let target = path
    if (path === '') target = addressOf(page)
    else if (!path.startsWith('/')) {
      const file = join(dirname(page.file ?? ''), path)
      const linked = pages.find((one) => one.file === file || one.file === join(file, 'README.md'))
      if (!linked && file.endsWith('.md'))
        throw new Error(`${page.file} links to ${written}, which is not a page of the site.`)
      if (!linked) {
        link.replaceWith(link.contents())
        continue
      }
      target = addressOf(linked)
    }
    link.attr('href', hash === '' ? target : `${target}#${hash}`)
    links.push({ written, path: target, hash })
  }
  return links
}

/** Serves images from the site, with their sizes, so that nothing moves when they arrive. */
function showImages($: CheerioAPI, main: Elements, page: Page, { root, asset }: SiteLinks): void {
  for (const element of main.find('img').toArray()) {
    const image = $(element)
    const src = image.attr('src') ?? ''
    const file = join(root, dirname(page.file ?? ''), src)
    if (!existsSync(file)) throw new Error(`${page.file} shows ${src}, which does not exist.`)
    if (!image.attr('alt'))
      throw new Error(`${page.file} shows ${src} without a text that says what it shows.`)
    const contents = readFileSync(file)
    image.attr('src', asset(hashedName(file, contents), contents)).attr('loading', 'lazy')
    image.attr(sizeOf(file, contents))
  }
}

/** The width and height of an SVG or a PNG. */
function sizeOf(file: string, contents: Buffer): Record<string, string> {
  if (extname(file) === '.png')
    return { width: `${contents.readUInt32BE(16)}`, height: `${contents.readUInt32BE(20)}` }
  const [, width = '', height = ''] =
    /viewBox="\S+ \S+ ([\d.]+) ([\d.]+)"/.exec(contents.toString()) ?? []
  return { width, height }
}

/** The name of a file with a hash of its contents. */
export function hashedName(file: string, contents: Buffer | Uint8Array): string {
  const { name, ext } = parse(file)
  return `${name}-${createHash('sha256').update(contents).digest('hex').slice(0, 8)}${ext}`
}

/**
 * Highlights code. An operation of the graph without variables gets a link that opens it in
 * GraphiQL.
 */
function highlightCode($: CheerioAPI, main: Elements): void {
  for (const element of main.find('pre > code[class^=language-]').toArray()) {
    const code = $(element)
    const language = code.attr('class')?.replace('language-', '') ?? ''
    const text = code.text()
    if (highlight.getLanguage(language)) code.html(highlight.highlight(text, { language }).value)
    if (language !== 'graphql' || !/^(\{|query|subscription)/.test(text) || text.includes('$'))
      continue
    const href = `/graphql#${new URLSearchParams({ query: text.trim() })}`
    code
      .parent()
      .after(
        $('<p><a class="graphiql">Open in GraphiQL</a></p>').find('a').attr('href', href).end(),
      )
  }
}

/** The roles of tables, which browsers forget where a style sheet shows rows as blocks. */
const ROLES = {
  table: 'table',
  'thead, tbody': 'rowgroup',
  tr: 'row',
  th: 'columnheader',
  td: 'cell',
}

/**
 * Lets tables scroll, and writes the name of its column on each cell: on a phone rows are blocks,
 * without a head.
 */
function labelCells($: CheerioAPI, main: Elements): void {
  for (const element of main.find('table').toArray()) {
    const table = $(element)
    const names = table
      .find('th')
      .toArray()
      .map((cell) => $(cell).text())
    for (const row of table.find('tbody tr').toArray())
      for (const [column, cell] of $(row).children('td').toArray().entries())
        if (column > 0 && names[column]) $(cell).attr('data-column', names[column])
    for (const [selector, role] of Object.entries(ROLES))
      table.find(selector).addBack(selector).attr('role', role)
    table.wrap('<div class="scroll" tabindex="0"></div>')
  }
}

/** Lists the headings next to the text, and gives each a link to itself. */
function listHeadings($: CheerioAPI, main: Elements): void {
  const list = $('<ul></ul>')
  const headings = main.find('h2[id], h3[id]').toArray()
  const top = headings.length > 60 ? headings.filter(({ tagName }) => tagName === 'h2') : headings
  const places = top.length > 1 ? top : main.find('dt[id]').toArray()
  for (const element of places) {
    const id = $(element).attr('id') ?? ''
    const name = element.tagName === 'dt' ? id.split('.').at(-1) : $(element).text()
    const link = $('<a></a>')
      .attr('href', `#${id}`)
      .text(name ?? id)
    list.append($('<li></li>').addClass(element.tagName).append(link))
  }
  if (places.length > 1) $('aside').append('<p>On this page</p>', list)
  else $('aside').remove()
  for (const element of main.find('h2[id], h3[id], dt[id]').toArray()) {
    const heading = $(element)
    const name = oneLine(heading.text())
    const link = $('<a class="anchor">#</a>').attr({
      href: `#${heading.attr('id')}`,
      'aria-label': `Link to ${name}`,
    })
    heading.append(' ', link)
  }
}

/** The results of the search: each section, each row with an id, and each field. */
function recordsOf(
  $: CheerioAPI,
  main: Elements,
  page: Page,
  group: SearchRecord['group'],
): SearchRecord[] {
  const records: SearchRecord[] = []
  const pageTitle = oneLine(main.find('h1').first().text())
  const add = (title: string, id: string | undefined, text: string) =>
    records.push({
      group,
      page: pageTitle,
      title: oneLine(title),
      url: `${addressOf(page)}${id === undefined || title === '' ? '' : `#${id}`}`,
      text: oneLine(text),
    })
  for (const element of main.find('h1, h2, h3, h4').toArray()) {
    const heading = $(element)
    const section = heading.nextUntil('h1, h2, h3, h4').not('dl').clone()
    section.find('tr[id]').remove()
    section.filter('table').find('tr[id]').remove()
    const id = element.tagName === 'h1' ? undefined : heading.attr('id')
    add(
      heading.text(),
      id,
      section
        .not('.kind')
        .map((_, one) => textOf($, $(one)))
        .toArray()
        .join(' '),
    )
  }
  for (const row of main.find('tr[id]').toArray()) {
    const [first, ...others] = $(row).children('td').toArray()
    add($(first).text(), $(row).attr('id'), others.map((cell) => textOf($, $(cell))).join(' · '))
  }
  for (const term of main.find('dt[id]').toArray()) {
    const id = $(term).attr('id') ?? ''
    add(id, id, textOf($, $(term).next('dd')))
  }
  return records
}

/** The text of an element, in which the texts of its blocks do not touch. */
function textOf($: CheerioAPI, element: Elements): string {
  const spaced = element.clone()
  spaced.find('p, li, ul, ol, td, th, dt, dd, div, pre').each((_, block) => {
    $(block).append(' ')
  })
  return spaced.text()
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
