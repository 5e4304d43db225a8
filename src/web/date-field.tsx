import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { datesIn } from './date-text.ts'
import { day } from './format.ts'

interface DateFieldProps {
  label: string
  /** True in a place without room for the label. */
  isBare?: boolean
  /** The date that is shown, as in URLs. Empty for none. */
  value: string
  /** The first and the last date that can be chosen, if there are such. */
  min?: string | undefined
  max?: string | undefined
  /** The name in a form. */
  name?: string
  /** Receives a date of the range, or an empty text for none. */
  onDate?(date: string): void
}

/** Why a text cannot be taken as a date of the range. Undefined if it can. */
function faultOf(text: string, min = '', max = '9999-12-31'): string | undefined {
  const [date, other] = datesIn(text)
  if (date && other) return `Either ${day(date)} or ${day(other)}: write the month as a word`
  const range = min ? `, from ${day(min)} to ${day(max)}` : ''
  if (!date) return `Not a date: write it as 25 Nov 2026${range}`
  if (date < min) return `The first stored date is ${day(min)}, the newest is ${day(max)}`
  if (date > max)
    return `The newest stored date is ${day(max)}${min && `, the first is ${day(min)}`}`
  return undefined
}

/** Takes a date, written in any usual way or chosen from the browser's calendar. */
export function DateField({ label, isBare, value, min, max, name, onDate }: DateFieldProps) {
  const id = useId()
  const shown = value && day(value)
  const [text, setText] = useState(shown)
  const [chosen, setChosen] = useState(value)
  const [fault, setFault] = useState<string>()
  const calendar = useRef<HTMLInputElement>(null)
  useEffect(() => {
    setText(shown)
    setChosen(value)
    setFault(undefined)
  }, [shown, value])
  const take = (typed: string) => {
    const trimmed = typed.trim()
    const wrong = trimmed === '' ? undefined : faultOf(trimmed, min, max)
    setFault(wrong)
    if (wrong) {
      setChosen(value)
      return false
    }
    const date = datesIn(trimmed)[0] ?? ''
    // A field that always has a date keeps it.
    setText((date || value) && day(date || value))
    setChosen(date || value)
    if (date !== value && (date || !value)) onDate?.(date)
    return true
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' && !take(text)) event.preventDefault()
    if (event.key === 'Escape') {
      setText(shown)
      setFault(undefined)
    }
  }
  return (
    <span className="date-field">
      <label htmlFor={id} className={isBare ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <span className="date-box">
        <input
          id={id}
          type="text"
          size={11}
          autoComplete="off"
          placeholder={isBare ? undefined : '25 Nov 2026'}
          value={text}
          aria-invalid={fault !== undefined}
          aria-describedby={fault && `${id}-fault`}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => take(text)}
        />
        <input
          ref={calendar}
          className="calendar"
          type="date"
          tabIndex={-1}
          aria-hidden="true"
          name={name}
          min={min}
          max={max}
          value={chosen}
          onChange={({ target }) => target.value && take(target.value)}
        />
        <button
          type="button"
          aria-label={`${label}: calendar`}
          title="Calendar"
          onClick={() => calendar.current?.showPicker()}
        >
          <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <path
              d="M2.5 3.5h11v10h-11Zm0 3h11M5.5 2v3m5-3v3"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.4"
            />
          </svg>
        </button>
      </span>
      {fault && (
        <span id={`${id}-fault`} className="date-fault" role="alert">
          {fault}.
        </span>
      )}
    </span>
  )
}
