import { type ReactNode, useEffect, useRef } from 'react'
import { stringifyDocument } from 'urql'
import { useAsOf } from './as-of.tsx'
import { CopyMenu, type Operation } from './copy-menu.tsx'
import { operator } from './operator.ts'
import { served } from './paths.ts'

interface PageProps {
  /** The heading, and the title of the window. */
  title: string
  /** Replaces the title in the heading, where it needs more than text. */
  heading?: ReactNode
  /** Stands before the heading. */
  icon?: ReactNode
  /** The operation that gives most of the page. */
  operation?: Operation
  /** The path of the REST API that answers the same. */
  rest?: string
  /** Stands below a heading that is the largest thing of the page. */
  hero?: ReactNode
  /** True if it has no past, and says so when the reader looks at one. */
  ofNow?: boolean
  children: ReactNode
}

/**
 * The views that were opened since the page was loaded: the first one keeps the focus where the
 * browser puts it.
 */
let opened = 0

/**
 * A view: its title, its heading, which gets the focus when the view is opened, and its operation
 * in GraphiQL.
 */
export function Page({ title, heading, icon, operation, rest, hero, ofNow, children }: PageProps) {
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
          {ofNow && <OfNow />}
        </h1>
        {hero}
        <Origin operation={operation} rest={rest} name="Open in GraphiQL" />
      </div>
      {children}
    </>
  )
}

interface SectionProps {
  /** The fragment of the address that leads here. */
  id: string
  title: ReactNode
  /** The operation behind it, and the REST path that answers the same. */
  operation?: Operation
  rest?: string
  /** A link to more of it. */
  more?: ReactNode
  /** True if it has no past, and says so when the reader looks at one. */
  ofNow?: boolean
  children: ReactNode
}

/** A block of a page: its heading, its contents, and where they come from. */
export const Section = ({ id, title, operation, rest, more, ofNow, children }: SectionProps) => (
  <section aria-labelledby={id}>
    <div className="section-head">
      <h2 id={id}>{title}</h2>
      {ofNow && <OfNow />}
      {more}
      <Origin operation={operation} rest={rest} name="GraphQL" />
    </div>
    {children}
  </section>
)

/** Marks what stays as it is now while the reader looks at a past date. */
export const OfNow = () => (useAsOf().date ? <small className="of-now">as of now</small> : null)

interface OriginProps {
  operation: Operation | undefined
  rest: string | undefined
  name: string
}

/**
 * Leads to the operation behind a block, in GraphiQL, and to the REST path that answers the same.
 */
function Origin({ operation, rest, name }: OriginProps) {
  if (!operation) return null
  return (
    <span className="origin">
      <a href={inGraphiQL(operation)}>{name}</a>
      {rest && <a href={served(rest)}>REST</a>}
      {/* Pages that do not come over TLS have no clipboard. */}
      {'clipboard' in navigator && <CopyMenu {...operation} />}
    </span>
  )
}

function inGraphiQL({ query, variables }: Operation): string {
  const text = stringifyDocument(query).trim()
  return served(
    `/graphql#${new URLSearchParams({ query: text, variables: JSON.stringify(variables, null, 2) })}`,
  )
}
