/**
 * Builds the documentation site from the Markdown of the repository, the graph and the OpenAPI
 * document: dist/docs.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Eleventy from '@11ty/eleventy'
import { build } from 'esbuild'
import { bar, HEAD } from '../web/brand/header.ts'
import { finishPage, hashedName } from './finish-page.ts'
import { markdown } from './html.ts'
import { ABOUT, type Entry, type Group, navigation } from './navigation.ts'
import { addressOf, type Page } from './page.ts'
import { restRecords } from './rest-records.ts'
import type { SearchRecord } from './search-record.ts'

const ROOT = join(import.meta.dirname, '../..')
const DIRECTORY = join(ROOT, 'dist/docs')
/** The other pages of the gateway. */
const OTHERS = /^\/($|dashboard\b|docs\/rest$|graphql$|openapi\.json$)/

/** The READMEs that agents read too, besides the guides of `src/docs`. */
const GUIDES = ['graphql', 'rest-endpoints']

/** The buttons of the site in the bar. */
const TOOLS =
  '<button type="button" class="menu" popovertarget="navigation">Menu</button>' +
  '<button type="button" class="search" hidden>Search <kbd>/</kbd></button>'

/** Shown at addresses without a page. */
const notFound: Page = {
  path: '404',
  title: 'Page not found',
  file: undefined,
  content:
    '<h1>Page not found</h1><p>The documentation has no page at this address. Search for it ' +
    '(the key /), or begin at <a href="/docs">the first page</a>.</p>',
}

/** The files of the site by their paths. */
const files = new Map<string, string | Buffer>()

const groups = navigation(ROOT)
const entries = groups.flatMap(({ entries }) => entries)
const pages = entries.filter((entry) => 'path' in entry)
const asset = (name: string, contents: Buffer) => {
  files.set(`assets/${name}`, contents)
  return `/docs/assets/${name}`
}
const html = await generate(await browserFiles())
const finish = (page: Page) =>
  finishPage(page, html.get(fileOf(page)) ?? '', { root: ROOT, pages, asset, groupOf })
const finished = pages.map(finish)
files.set(fileOf(notFound), finish(notFound).html)
for (const { page, html } of finished) files.set(fileOf(page), html)
checkLinks()
const records = [...finished.flatMap(({ records }) => records), ...restRecords(ROOT)]
files.set('search.json', JSON.stringify(records))
files.set('llms.txt', overview())
files.set(
  'llms-full.txt',
  pages.map(({ file, content }) => (file === undefined ? '' : content)).join('\n\n'),
)
for (const { path, file, content } of pages)
  if (file?.startsWith('src/docs/') || GUIDES.includes(path))
    files.set(`guides/${path}.md`, content)
await write()

/** Builds the script and the style sheet of the pages. @returns where they and the font are served */
async function browserFiles(): Promise<{ script: string; style: string; font: string }> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    write: false,
    entryPoints: ['src/site/browser.ts', 'src/site/page.css'],
    outdir: 'dist/docs',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox125', 'safari17.5'],
    legalComments: 'none',
    logLevel: 'warning',
  })
  const served = (ending: string) => {
    const file = outputFiles.find(({ path }) => path.endsWith(ending))
    if (!file) throw new Error(`The build made no ${ending} file.`)
    const { path, contents } = file
    // The style sheet names the font.
    const name = ending === '.woff2' ? basename(path) : hashedName(path, contents)
    return asset(name, Buffer.from(contents))
  }
  return { script: served('.js'), style: served('.css'), font: served('.woff2') }
}

/** Renders every page into the layout. @returns the pages by their files */
async function generate(data: Record<string, string>): Promise<Map<string, string>> {
  const menu = groups.map(({ title, entries }: Group) => ({
    title,
    entries: entries.map((entry) => ({ title: entry.title, href: hrefOf(entry) })),
  }))
  const eleventy = new Eleventy('src/site/layouts', 'dist/docs', {
    quietMode: true,
    config(config) {
      config.setUseGitIgnore(false)
      config.setIncludesDirectory('.')
      config.setLibrary('md', { render: markdown })
      config.setTemplateFormats(['md', 'html'])
      for (const page of [...pages, notFound])
        config.addTemplate(
          `${fileOf(page)}.${page.file === undefined ? 'html' : 'md'}`,
          page.content,
          {
            ...data,
            head: HEAD,
            bar: bar('/docs', TOOLS),
            layout: 'page.liquid',
            permalink: `/${fileOf(page)}`,
            title: page.title,
            href: addressOf(page),
            navigation: menu,
            ...neighboursOf(page),
            // Text of a document may look like a template.
            templateEngineOverride: page.file === undefined ? 'html' : 'md',
          },
        )
    },
  })
  const made = await eleventy.toJSON()
  return new Map(
    made.map(({ outputPath, content }) => [relative('dist/docs', outputPath), content]),
  )
}

/** The pages before and after a page, in the order of the navigation. */
function neighboursOf(page: Page) {
  const at = pages.indexOf(page)
  const link = (other: Page | undefined) =>
    other && at >= 0 ? { title: other.title, href: addressOf(other) } : undefined
  return { previous: link(pages[at - 1]), next: link(pages[at + 1]) }
}

/** The group of a page in the search. */
function groupOf(page: Page): SearchRecord['group'] {
  const { title } = groups.find(({ entries }) => entries.includes(page)) ?? {}
  if (title === 'Graph') return 'Graph'
  if (title === ABOUT) return 'About the project'
  return ['cli', 'metrics'].includes(page.path) ? 'Commands and settings' : 'Guides'
}

/** Fails if a link leads to a page or a heading that does not exist. */
function checkLinks(): void {
  const byAddress = new Map(finished.map((done) => [addressOf(done.page), done]))
  const isBroken = ({ path, hash }: { path: string; hash: string }) => {
    const target = byAddress.get(path)
    return target ? hash !== '' && !target.ids.has(hash) : !OTHERS.test(path)
  }
  const broken = finished.flatMap(({ page, links }) =>
    links
      .filter(isBroken)
      .map(
        ({ written }) =>
          `${page.file ?? addressOf(page)} links to ${written}, which does not exist.`,
      ),
  )
  for (const { title, href } of entries.filter((entry) => 'href' in entry)) {
    const [path = '', hash = ''] = href.split('#')
    if (isBroken({ path, hash }))
      broken.push(`The navigation's "${title}" links to ${href}, which does not exist.`)
  }
  if (broken.length > 0) throw new Error(broken.join('\n'))
}

/** The index for language models: https://llmstxt.org */
function overview(): string {
  const summaries = new Map(finished.map(({ page, summary }) => [page, summary]))
  const list = groups.map(({ title, entries }) => {
    const lines = entries
      .filter((entry) => 'path' in entry)
      .map((page) => `- [${page.title}](${addressOf(page)}): ${summaries.get(page)}`)
    return `## ${title}\n\n${lines.join('\n')}`
  })
  const [first] = finished
  return `# Lending gateway\n\n> ${first?.summary}\n\n${list.join('\n\n')}

## More

- [The texts of all pages](/docs/llms-full.txt)
- [The OpenAPI document of REST](/openapi.json)
- [The graph](/graphql): it answers introspection
`
}

/** Replaces the site by the new files, which are compressed too. */
async function write(): Promise<void> {
  const made = join(ROOT, `dist/.docs-${randomUUID()}`)
  await mkdir(join(made, 'graph'), { recursive: true })
  for (const folder of ['assets', 'guides']) await mkdir(join(made, folder))
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
  const one = async ([path, contents]: [string, string | Buffer]) => {
    const file = join(made, path)
    await writeFile(file, contents)
    if (/\.(png|woff2|md)$/.test(path)) return
    await writeFile(`${file}.br`, await promisify(brotliCompress)(contents, quality))
    await writeFile(`${file}.gz`, await promisify(gzip)(contents))
  }
  await Promise.all([...files].map(one))
  await rm(DIRECTORY, { recursive: true, force: true })
  await rename(made, DIRECTORY)
}

function fileOf({ path }: Page): string {
  return `${path === '' ? 'index' : path}.html`
}

function hrefOf(entry: Entry): string {
  return 'path' in entry ? addressOf(entry) : entry.href
}
