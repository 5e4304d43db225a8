import type { DocumentNode } from 'graphql'
import { useRef, useState } from 'react'
import { stringifyDocument } from 'urql'
import { asCurl, asTypedClient } from './copy-as.ts'
import { served } from './paths.ts'
import { useDismissed } from './use-dismissed.ts'

export interface Operation {
  query: DocumentNode
  variables: object
}

const COPIED_MS = 1500

/** Copies the operation behind a block: as a command, as GraphQL, and as TypeScript. */
export function CopyMenu({ query, variables }: Operation) {
  const menu = useRef<HTMLDetailsElement>(null)
  const [said, setSaid] = useState('Copy')
  const operation = {
    url: location.origin + served('/graphql'),
    query: stringifyDocument(query).trim(),
    variables,
  }
  const copy = async (text: string) => {
    const done = await navigator.clipboard.writeText(text).then(
      () => 'Copied',
      () => 'Not allowed',
    )
    if (menu.current) menu.current.open = false
    menu.current?.querySelector('summary')?.focus()
    setSaid(done)
    setTimeout(() => setSaid('Copy'), COPIED_MS)
  }
  useDismissed(menu)
  return (
    <details className="copy-menu" ref={menu}>
      <summary>
        <span aria-live="polite">{said}</span>
      </summary>
      <div>
        <button type="button" onClick={() => copy(asCurl(operation))}>
          curl
        </button>
        <button type="button" onClick={() => copy(operation.query)}>
          GraphQL
        </button>
        <button
          type="button"
          onClick={() => copy(asTypedClient(nameOf(operation.query), operation))}
        >
          TypeScript
        </button>
      </div>
    </details>
  )
}

/** The name of a document's operation. */
const nameOf = (query: string): string =>
  /^(?:query|mutation|subscription) (\w+)/m.exec(query)?.[1] ?? ''
