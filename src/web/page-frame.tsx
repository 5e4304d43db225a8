import type { DocumentNode } from 'graphql'
import { type ReactNode, useEffect, useRef } from 'react'
import { stringifyDocument } from 'urql'
import { operator } from './operator.ts'

interface PageProps {
  /** The heading, and the title of the window. */
  title: string
  /** Replaces the title in the heading, where it needs more than text. */
  heading?: ReactNode
  /** Stands before the heading. */
  icon?: ReactNode
  /** The operation that gives most of the page. */
  operation?: { query: DocumentNode; variables: object }
  /** Stands below a heading that is the largest thing of the page. */
  hero?: ReactNode
  children: ReactNode
}

/** The views that were opened since the page was loaded: the first one keeps the focus where the browser puts it. */
let opened = 0

/** A view: its title, its heading, which gets the focus when the view is opened, and its operation in GraphiQL. */
export function Page({ title, heading, icon, operation, hero, children }: PageProps) {
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (opened++ > 0) head.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    document.title = `${title} · ${operator.name} dashboard`
  }, [title])
  return (
    <>
      <div className={hero ? 'hero' : 'page-head'}>
        <h1 ref={head} tabIndex={-1}>
          {icon}
          <span>{heading ?? title}</span>
        </h1>
        {hero}
        {operation && (
          <a className="in-graphiql" href={inGraphiQL(operation)}>
            Open in GraphiQL
          </a>
        )}
      </div>
      {children}
    </>
  )
}

function inGraphiQL({ query, variables }: NonNullable<PageProps['operation']>): string {
  const text = stringifyDocument(query).trim()
  return `/graphql#${new URLSearchParams({ query: text, variables: JSON.stringify(variables, null, 2) })}`
}
