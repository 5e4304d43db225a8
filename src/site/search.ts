import MiniSearch from 'minisearch'
import { SEARCH_GROUPS, type SearchRecord } from './search-record.ts'

/** The prefix of the gateway's paths: the script is at PREFIX/docs/assets. */
const basePath = new URL('../..', import.meta.url).pathname.slice(0, -1)
/** Results of each group. */
const MAX_RESULTS = 6
/** Characters of the text around what was found. */
const EXCERPT = 160

const dialog = find<HTMLDialogElement>('dialog.search')
const input = find<HTMLInputElement>('dialog.search input')
const status = find<HTMLElement>('dialog.search [role=status]')
const results = find<HTMLElement>('dialog.search .results')
const button = find<HTMLButtonElement>('button.search')

/**
 * The words of a text: names as a whole, and their parts. `User.netApr` is found by each of its
 * words, and by `netApr`.
 */
function words(text: string): string[] {
  const names = text.match(/[\p{L}\p{N}_.-]+/gu) ?? []
  const all = names.flatMap((name) => [
    name.replace(/[.-]+$/, ''),
    ...name.split('.'),
    ...name.split(/[_.-]+|(?<=\p{Ll})(?=\p{Lu})/u),
  ])
  return [...new Set(all)].filter(Boolean)
}

let loading: Promise<MiniSearch<SearchRecord>> | undefined

/** The index, made at the first search. */
function index(): Promise<MiniSearch<SearchRecord>> {
  loading ??= load().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<MiniSearch<SearchRecord>> {
  const response = await fetch(`${basePath}/docs/search.json`)
  if (!response.ok) throw new Error(`The index answered ${response.status}.`)
  const records: SearchRecord[] = await response.json()
  const made = new MiniSearch<SearchRecord>({
    fields: ['title', 'text', 'page'],
    storeFields: ['group', 'page', 'title', 'url', 'text'],
    idField: 'url',
    tokenize: words,
    searchOptions: {
      tokenize: (text) => text.split(/\s+/).filter(Boolean),
      boost: { title: 4 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.15 : false),
      combineWith: 'AND',
      boostDocument: (_, term, record) => boostOf(term, record),
    },
  })
  // In parts, so that typing goes on.
  await made.addAllAsync(records, { chunkSize: 200 })
  return made
}

/** An exact name comes first. In guides a section explains more than the row of a table. */
function boostOf(term: string, record: Record<string, unknown> | undefined): number {
  if (nameOf(record?.title).toLowerCase() === term) return 3
  const isRow = record?.group === 'Guides' && !String(record.title).includes(' ')
  return isRow ? 0.1 : 1
}

/** A title without the type that it is a field of. */
const nameOf = (title: unknown) => String(title).split('.').at(-1) ?? ''

async function search(): Promise<void> {
  const text = input.value.trim()
  if (text === '') return show([], '')
  if (status.textContent === '') status.textContent = 'Searching …'
  try {
    const found = (await index()).search(text) as unknown as SearchRecord[]
    // A later letter has its own answer.
    if (text !== input.value.trim()) return
    const count = found.length === 1 ? '1 result' : `${found.length || 'No'} results`
    show(found, `${count} for “${text}”`)
  } catch {
    show([], 'The search could not load. Close it and try again.')
  }
}

/** A name of code, such as netApr, resync-all or MAX_COST: who types it looks for that one thing. */
const CODE_NAME = /[_-]|\p{Ll}\p{Lu}/u

/** The groups with results: guides first, unless a name of code is typed that another group has. */
function groupsOf(records: SearchRecord[]) {
  const name = input.value.trim()
  const isNamed = ({ title }: SearchRecord) => CODE_NAME.test(name) && nameOf(title) === name
  const named = records.find(isNamed)?.group
  return SEARCH_GROUPS.map((group) => ({
    group,
    records: records.filter((record) => record.group === group).slice(0, MAX_RESULTS),
  }))
    .filter((one) => one.records.length > 0)
    .sort((one, other) => Number(other.group === named) - Number(one.group === named))
}

function show(records: SearchRecord[], message: string): void {
  status.textContent = message
  results.replaceChildren(
    ...groupsOf(records).flatMap(({ group, records }) => {
      const heading = document.createElement('h2')
      heading.textContent = group
      const list = document.createElement('ol')
      list.append(...records.map(resultOf))
      return [heading, list]
    }),
  )
}

function resultOf({ page, title, url, text }: SearchRecord): HTMLLIElement {
  const link = document.createElement('a')
  link.href = basePath + url
  const name = document.createElement('b')
  name.textContent = title
  const where = document.createElement('span')
  where.textContent = page === title ? '' : page
  const excerpt = document.createElement('p')
  excerpt.textContent = excerptOf(text)
  link.append(name, ' ', where, excerpt)
  const item = document.createElement('li')
  item.append(link)
  return item
}

/** The part of a text that has the first word that is searched for. */
function excerptOf(text: string): string {
  const at = text.toLowerCase().indexOf(input.value.trim().toLowerCase())
  const start = at < EXCERPT / 2 ? 0 : at - EXCERPT / 4
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + EXCERPT)}${text.length > start + EXCERPT ? ' …' : ''}`
}

function open(): void {
  dialog.showModal()
  input.select()
  void index().catch(() => undefined)
}

/** Moves between the input and the results. */
function move(by: number): void {
  const stops = [input, ...results.querySelectorAll('a')]
  const at = stops.indexOf(document.activeElement as HTMLInputElement)
  stops[Math.min(Math.max(at + by, 0), stops.length - 1)]?.focus()
}

function find<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector)
  if (!element) throw new Error(`The page has no ${selector}`)
  return element
}

button.hidden = false
button.addEventListener('click', open)
input.addEventListener('input', () => void search())
dialog.addEventListener('keydown', (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (by !== undefined) move(by)
  else if (event.key === 'Escape') dialog.close()
  else if (event.key === 'Enter' && document.activeElement === input)
    results.querySelector('a')?.click()
  else return
  event.preventDefault()
})
dialog.addEventListener('click', (event) => {
  // A click outside of the dialog, or on a result, which may be on this page.
  if (event.target === dialog || (event.target as Element).closest('a')) dialog.close()
})
document.addEventListener('keydown', (event) => {
  const isTyping = (event.target as Element).closest('input, textarea, [contenteditable]')
  const isShortcut =
    (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping)
  if (!isShortcut || dialog.open) return
  event.preventDefault()
  open()
})
