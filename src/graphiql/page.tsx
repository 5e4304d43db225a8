import { DOC_EXPLORER_PLUGIN, DocExplorerContextProvider } from '@graphiql/plugin-doc-explorer'
import { explorerPlugin } from '@graphiql/plugin-explorer'
import { HISTORY_PLUGIN, HistoryContextProvider } from '@graphiql/plugin-history'
import {
  GraphiQLProvider,
  ToolbarButton,
  useEditorContext,
  useExecutionContext,
  usePluginStore,
} from '@graphiql/react'
import { GraphiQL, GraphiQLInterface } from 'graphiql'
import { getOperationAST, parse } from 'graphql'
import { useEffect, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { followTheme } from '../web/brand/theme.ts'
import { colourGraphiQL } from './accent.ts'
import { AnswerBar } from './answer-bar.tsx'
import { examplesPlugin, isNarrow } from './examples-panel.tsx'
import { createFetcher } from './fetcher.ts'
import type { PageData } from './page-data.ts'

const data: PageData = JSON.parse(document.getElementById('data')?.textContent ?? '')
const examples = examplesPlugin(data)
const plugins = [
  examples,
  explorerPlugin({ showAttribution: false }),
  DOC_EXPLORER_PLUGIN,
  HISTORY_PLUGIN,
]

/**
 * The operation in the URL fragment: `#query=...&variables=...`, or an example by its name:
 * `#example=...`.
 */
function linkedOperation() {
  const parameters = new URLSearchParams(location.hash.slice(1))
  const example = data.examples.find(({ name }) => name === parameters.get('example'))
  if (example) return { query: example.query, variables: example.variables }
  const query = parameters.get('query')
  return query ? { query, variables: parameters.get('variables') || '{}' } : undefined
}

/**
 * The operation of the tab that was open last. GraphiQL remembers what was typed there, but not
 * what it opened the tab with.
 */
function lastOperation() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '')
    const { query, variables } = tabs[activeTabIndex]
    return { query: query ?? '', variables: variables ?? '' }
  } catch {
    return {}
  }
}

function Page() {
  return (
    <GraphiQLProvider
      fetcher={createFetcher(!/\blegacy\b/.test(operation.query ?? ''))}
      plugins={plugins}
      referencePlugin={DOC_EXPLORER_PLUGIN}
      {...operation}
      {...(!linked && !isNarrow() && { visiblePlugin: examples })}
      defaultQuery=""
      inputValueDeprecation
      schemaDescription
    >
      <HistoryContextProvider>
        <DocExplorerContextProvider>
          <Interface />
        </DocExplorerContextProvider>
      </HistoryContextProvider>
    </GraphiQLProvider>
  )
}

function Interface() {
  const { plugins, visiblePlugin } = usePluginStore()
  // Panels share one element, which would begin where the one before was scrolled to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the panel
  useEffect(() => {
    document.querySelector('.graphiql-plugin')?.scrollTo(0, 0)
  }, [visiblePlugin])
  const isDark = useDarkTheme()
  useWrappedLines()
  useFirstRun()
  // The interface would hide a panel that the provider opens only afterwards.
  if (plugins.length === 0) return null
  return (
    <GraphiQLInterface
      defaultEditorToolsVisibility="variables"
      showPersistHeadersSettings={false}
      forcedTheme={isDark ? 'dark' : 'light'}
    >
      {/* The bar of the page has the name. */}
      <GraphiQL.Logo> </GraphiQL.Logo>
      <GraphiQL.Toolbar>
        {({ prettify, merge, copy }) => (
          <>
            {prettify}
            {merge}
            {copy}
            <LinkButton />
          </>
        )}
      </GraphiQL.Toolbar>
      <GraphiQL.Footer>
        <AnswerBar />
      </GraphiQL.Footer>
    </GraphiQLInterface>
  )
}

function useDarkTheme(): boolean {
  const [isDark, setDark] = useState(false)
  useEffect(() => followTheme(setDark), [])
  return isDark
}

/** Long lines of code wrap. */
function useWrappedLines(): void {
  const { queryEditor, variableEditor, responseEditor } = useEditorContext({ nonNull: true })
  useEffect(() => {
    for (const editor of [queryEditor, variableEditor, responseEditor])
      editor?.setOption('lineWrapping', true)
  }, [queryEditor, variableEditor, responseEditor])
}

// A gateway refuses much longer documents.
const MAX_LENGTH = 100_000

/** Runs what the page is opened with, once, if it is one query: it changes nothing, and it ends. */
function useFirstRun(): void {
  const { queryEditor, variableEditor, responseEditor } = useEditorContext({ nonNull: true })
  const { run } = useExecutionContext({ nonNull: true })
  const isDone = useRef(false)
  const isReady = Boolean(queryEditor && variableEditor && responseEditor)
  useEffect(() => {
    if (isDone.current || !isReady) return
    isDone.current = true
    if (isOneQuery(operation.query)) run()
  }, [isReady, run])
}

function isOneQuery(text = ''): boolean {
  if (text.length > MAX_LENGTH) return false
  try {
    return getOperationAST(parse(text))?.operation === 'query'
  } catch {
    return false
  }
}

/**
 * Puts the operation into the address of the page, which then opens with it, and copies the
 * address.
 */
function LinkButton() {
  const { queryEditor, variableEditor } = useEditorContext({ nonNull: true })
  const link = async () => {
    const query = queryEditor?.getValue() ?? ''
    const variables = variableEditor?.getValue() ?? ''
    history.replaceState(null, '', `#${new URLSearchParams({ query, variables })}`)
    await navigator.clipboard?.writeText(location.href)
  }
  return (
    <ToolbarButton label="Copy a link to this operation" onClick={link}>
      <svg
        className="graphiql-toolbar-icon"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        aria-hidden="true"
      >
        <path d="M6.5 9.5l3-3M7 4.5l1.2-1.2a3.2 3.2 0 014.5 4.5L11.5 9M9 11.5l-1.2 1.2a3.2 3.2 0 01-4.5-4.5L4.5 7" />
      </svg>
    </ToolbarButton>
  )
}

colourGraphiQL()
const linked = linkedOperation()
// The page restores the tabs of earlier visits. A first visit opens the first example, next to a
// panel that leaves room for it.
const isFirstVisit = localStorage.getItem('graphiql:tabState') === null
if (isFirstVisit) localStorage.setItem('graphiql:docExplorerFlex', '0.28')
const { query = '', variables = '{}' } = data.examples[0] ?? {}
const operation = linked ?? (isFirstVisit ? { query, variables } : lastOperation())
// A link that is opened where the page is open already.
addEventListener('hashchange', () => location.reload())
const root = document.getElementById('graphiql')
if (root) createRoot(root).render(<Page />)
