import {
  type GraphiQLPlugin,
  useEditorContext,
  useExecutionContext,
  usePluginStore,
} from '@graphiql/react'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import type { PageData, PageExample } from './page-data.ts'
import { served } from './served.ts'

/** On a phone a panel covers the editors. */
const isPhone = () => matchMedia('(max-width: 700px)').matches

/** The panel that lists the examples by persona, and opens and runs the one that is clicked. */
export function examplesPlugin(data: PageData): GraphiQLPlugin {
  return { title: 'Examples', icon: ExamplesIcon, content: () => <ExamplesPanel {...data} /> }
}

function ExamplesPanel({ examples, notice }: PageData) {
  const open = useOpenExample(examples)
  const personas = [...new Set(examples.map(({ persona }) => persona))]
  return (
    <section className="examples" aria-label="Examples">
      <h2>Examples</h2>
      {notice !== undefined && <p className="examples-notice">{notice}</p>}
      {personas.map((persona) => (
        <div key={persona}>
          <h3>{persona}</h3>
          <ul>
            {examples
              .filter((example) => example.persona === persona)
              .map((example) => (
                <li key={example.name}>
                  <button type="button" data-example={example.name} onClick={() => open(example)}>
                    {example.title}
                  </button>
                </li>
              ))}
          </ul>
        </div>
      ))}
      <p>
        See also the <a href={served('/docs')}>documentation</a> and the{' '}
        <a href={served('/dashboard')}>dashboard</a>.
      </p>
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
    if (isPhone()) setVisiblePlugin(null)
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
