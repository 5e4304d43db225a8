import { useEffect, useRef, useState } from 'react'
import { useUrlState } from './url-state.ts'

/** A number stands in the address once it has rested so long, in milliseconds. */
const REST = 150

/** A number that is being chosen. */
export interface Draft {
  /** As it is typed. */
  text: string
  /** False if the text is not such a number: the last one stays. */
  isValid: boolean
  value: number
  /** The one that rested, and is in the address. */
  settled: number
  set(text: string): void
}

/** The number of a parameter of the address, and the one that is being chosen. */
export function useDraft(
  name: string,
  usual: number,
  numberOf: (text: string) => number | undefined,
): Draft {
  const url = useUrlState()
  const stored = url.get(name) ?? String(usual)
  const [draft, setDraft] = useState({ text: stored, since: stored })
  const drafted = numberOf(draft.text)
  // Another address, as of the back button, ends a draft.
  const isDraft = stored === draft.since || stored === String(drafted)
  const text = isDraft ? draft.text : stored
  const value = isDraft ? drafted : numberOf(stored)
  const last = useRef(usual)
  useEffect(() => {
    if (value === undefined) return undefined
    last.current = value
    if (String(value) === stored) return undefined
    const timer = setTimeout(() => url.set({ [name]: String(value) }, { replace: true }), REST)
    return () => clearTimeout(timer)
  })
  return {
    text,
    isValid: value !== undefined,
    value: value ?? last.current,
    settled: numberOf(stored) ?? last.current,
    set: (text) => setDraft({ text, since: stored }),
  }
}
