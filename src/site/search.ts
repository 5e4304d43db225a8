import MiniSearch from 'minisearch'
import type { SearchRecord } from './search-record.ts'

/** The prefix of the gateway's paths: the script is at PREFIX/docs/assets. */
const basePath = new URL('../..', import.meta.url).pathname.slice(0, -1)
const MAX_RESULTS = 30
/** Characters of the text around what was found. */
const EXCERPT = 160

const dialog = find<HTMLDialogElement>('dialog.search')
const input = find<HTMLInputElement>('dialog.search input')
const status = find<HTMLElement>('dialog.search [role=status]')
const list = find<HTMLOListElement>('dialog.search ol')
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
    storeFields: ['page', 'title', 'url', 'text'],
    idField: 'url',
    tokenize: words,
    searchOptions: {
      tokenize: (text) => text.split(/\s+/).filter(Boolean),
      boost: { title: 4 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.15 : false),
      combineWith: 'AND',
      boostDocument: (_, term, record) => (nameOf(record?.title).toLowerCase() === term ? 3 : 1),
    },
  })
  // In parts, so that typing goes on.
  await made.addAllAsync(records, { chunkSize: 200 })
  return made
}

/** A title without the type that it is a field of. */
const nameOf = (title: unknown) => String(title).split('.').at(-1) ?? ''

async function search(): Promise<void> {
  const text = input.value.trim()
  if (text === '') return show([], '')
  if (status.textContent === '') status.textContent = 'Searching …'
  try {
    const results = (await index()).search(text) as unknown as SearchRecord[]
    // A later letter has its own answer.
    if (text !== input.value.trim()) return
    const count = results.length === 1 ? '1 result' : `${results.length || 'No'} results`
    show(results.slice(0, MAX_RESULTS), `${count} for “${text}”`)
  } catch {
    show([], 'The search could not load. Close it and try again.')
  }
}

function show(records: SearchRecord[], message: string): void {
  status.textContent = message
  list.replaceChildren(
    ...records.map(({ page, title, url, text }) => {
      const link = document.createElement('a')
      link.href = basePath + url
      const name = document.createElement('b')
      name.textContent = title
      const where = document.createElement('span')
      where.textContent = page
      const excerpt = document.createElement('p')
      excerpt.textContent = excerptOf(text)
      link.append(name, ' ', where, excerpt)
      const item = document.createElement('li')
      item.append(link)
      return item
    }),
  )
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
  const stops = [input, ...list.querySelectorAll('a')]
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
    list.querySelector('a')?.click()
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
