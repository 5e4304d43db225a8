import {
  type GraphiQLPlugin,
  useEditorContext,
  useExecutionContext,
  usePluginStore,
} from '@graphiql/react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { PageData, PageExample } from './page-data.ts'

/** True if the panel would leave too little room for code: on a phone it covers the editors. */
export const isNarrow = () => matchMedia('(max-width: 1100px)').matches

/** The panel that lists the examples by persona, and opens and runs the one that is clicked. */
export function examplesPlugin(data: PageData): GraphiQLPlugin {
  return { title: 'Examples', icon: ExamplesIcon, content: () => <ExamplesPanel {...data} /> }
}

function ExamplesPanel({ examples, notice }: PageData) {
  const open = useOpenExample(examples)
  const [text, setText] = useState('')
  const words = text.toLowerCase().split(/\s+/)
  const found = examples.filter(({ name, persona, title, query }) =>
    words.every((word) => `${name} ${persona} ${title} ${query}`.toLowerCase().includes(word)),
  )
  const personas = [...new Set(found.map(({ persona }) => persona))]
  const { activeTabIndex, tabs } = useEditorContext({ nonNull: true })
  const shown = tabs[activeTabIndex]?.query
  return (
    <section className="examples" aria-label="Examples">
      <h2>Examples</h2>
      {notice !== undefined && <p className="examples-notice">{notice}</p>}
      <input
        type="search"
        aria-label="Search the examples"
        placeholder="Search the examples"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {found.length === 0 && <p role="status">No example has these words.</p>}
      {personas.map((persona) => (
        <div key={persona}>
          <h3>{persona}</h3>
          <ul>
            {found
              .filter((example) => example.persona === persona)
              .map((example) => (
                <li key={example.name}>
                  <button
                    type="button"
                    data-example={example.name}
                    aria-current={example.query === shown || undefined}
                    onClick={() => open(example)}
                  >
                    {example.title}
                  </button>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

/**
 * Opens an example in the active tab, or in a new one where the active tab has something of the
 * user's own.
 */
function useOpenExample(examples: PageExample[]): (example: PageExample) => void {
  const editors = useEditorContext({ nonNull: true })
  const execution = useExecutionContext({ nonNull: true })
  const { setVisiblePlugin } = usePluginStore()
  // A new tab, and a stopped subscription, give new functions.
  const latest = useRef({ editors, execution })
  latest.current = { editors, execution }
  return (example) => {
    const { queryEditor, variableEditor } = editors
    if (!queryEditor || !variableEditor) return
    const isOwn = !isExample(examples, queryEditor.getValue(), variableEditor.getValue())
    flushSync(execution.stop)
    if (isOwn) flushSync(editors.addTab)
    queryEditor.setValue(example.query)
    variableEditor.setValue(example.variables)
    flushSync(() => latest.current.editors.setOperationName(example.name))
    if (isNarrow()) setVisiblePlugin(null)
    void latest.current.execution.run()
  }
}

function isExample(examples: PageExample[], query: string, variables: string): boolean {
  if (query.trim() === '') return true
  return examples.some((example) => example.query === query && example.variables === variables)
}

function ExamplesIcon() {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M2 3h1M6 3h8M2 8h1M6 8h8M2 13h1M6 13h8" />
    </svg>
  )
}
