import { AsOfDocument } from 'lending-graph-client'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { navigate, useLocationProperty, usePathname } from 'wouter/use-browser-location'
import { Answer } from './answer.tsx'
import { isDay, isoDay } from './format.ts'
import { type GraphAnswer, useGraph } from './use-graph.ts'

const PARAMETER = 'asOf'
/** The bar's date is not among the first things that a visitor needs. */
const LATER_MS = 1000

/** In a link: leave the past. */
export const NEWEST = 'newest'

export interface AsOf {
  /** The past date that all views show. Undefined for the newest. */
  date?: string
  /** The last distribution date up to it. */
  counted?: string
  /** The first and the newest distribution date, once they are known. */
  first?: string
  newest?: string
  /** The text of the address that chooses no stored date. */
  refused?: string
  /** The question for the stored dates, while the views wait for its answer. */
  awaited?: GraphAnswer<unknown>
}

const AsOfContext = createContext<AsOf>({})

/** The date that all views show. */
export const useAsOf = () => useContext(AsOfContext)

/** The end of a date: snapshots of the date count. */
export const endOf = (date: string) => `${date}T23:59:59.999Z`

/** The variables of operations that show a past date. None for the newest. */
export function usePast(): { asOf?: string; at?: string } {
  const { date } = useAsOf()
  return date ? { asOf: date, at: endOf(date) } : {}
}

const chosenIn = (search: string) => new URLSearchParams(search).get(PARAMETER)
const chosen = () => chosenIn(location.search)

/** A link to a view, which keeps the date that is shown. */
function keepingAsOf(href: string): string {
  const [rest = '', hash] = href.split('#')
  const [path, search = ''] = rest.split('?')
  const date = chosenIn(search) ?? chosen()
  if (!date) return href
  const parameters = new URLSearchParams(search)
  if (date === NEWEST) parameters.delete(PARAMETER)
  else parameters.set(PARAMETER, date)
  return [path, parameters.size > 0 && `?${parameters}`, hash && `#${hash}`]
    .filter(Boolean)
    .join('')
}

const navigateKeepingAsOf: typeof navigate = (to, options) =>
  navigate(keepingAsOf(String(to)), options)

/** The location for the router: links and forms of all views keep the date that is shown. */
export function useLocationAsOf(): [string, typeof navigate] {
  // Links are written again with each date.
  useLocationProperty(chosen)
  return [usePathname(), navigateKeepingAsOf]
}
useLocationAsOf.hrefs = keepingAsOf

/** Reads which dates are stored, and gives the views the one that the address chooses. */
export function AsOfDate({ children }: { children: ReactNode }) {
  const text = useLocationProperty(chosen) ?? ''
  const date = isDay(text) ? text : undefined
  const [isLater, setLater] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), LATER_MS)
    return () => clearTimeout(timer)
  }, [])
  const answer = useGraph(AsOfDocument, date ? { date } : {}, { pause: !text && !isLater })
  const { data } = answer
  const [first, newest, counted] = [data?.oldest, data?.newest, data?.counted].map((list) => {
    const [one] = list?.nodes ?? []
    return one && isoDay(one.date)
  })
  const isStored = date !== undefined && first !== undefined && newest !== undefined
  const isInRange = isStored && first <= date && date <= newest
  const state: AsOf = {
    ...(isInRange && date < newest && { date, ...(counted && { counted }) }),
    ...(first && newest && { first, newest }),
    ...(text && data && !isInRange && { refused: text }),
    ...(text && !data && { awaited: answer }),
  }
  return <AsOfContext value={state}>{children}</AsOfContext>
}

/** A view. One of the past waits until the stored dates are known. */
export function WhenDated({ children }: { children: ReactNode }) {
  const { awaited } = useAsOf()
  return awaited ? <Answer of={awaited}>{() => null}</Answer> : children
}
