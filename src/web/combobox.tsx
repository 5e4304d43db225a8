import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useId,
  useState,
} from 'react'

export interface Option {
  key: string
  content: ReactNode
  choose(): void
}

interface ComboboxProps {
  label: string
  /** True if the label stands above the field. */
  hasVisibleLabel?: boolean
  placeholder: string
  type?: 'search' | 'text'
  text: string
  onText(text: string): void
  /** Meanings that the text may have. */
  options: readonly Option[]
  /** Says that nothing matches, in place of options. */
  note?: string | false
  /** Called for a text without a chosen option. */
  onEnter(): void
  onOpen?(isOpen: boolean): void
  fieldRef?: Ref<HTMLInputElement>
  icon?: ReactNode
  button?: string | undefined
}

/** A field for text with suggestions below it, which arrow keys choose. */
export function Combobox({
  label,
  hasVisibleLabel = false,
  placeholder,
  type = 'text',
  text,
  onText,
  options,
  note,
  onEnter,
  onOpen,
  fieldRef,
  icon,
  button,
}: ComboboxProps) {
  const [isOpen, setOpen] = useState(false)
  const [current, setCurrent] = useState(-1)
  const id = useId()
  const shown = isOpen ? options : []
  const open = (next: boolean) => {
    setOpen(next)
    setCurrent(-1)
    onOpen?.(next)
  }
  const choose = (option: Option) => {
    open(false)
    option.choose()
  }
  const enter = (event: FormEvent) => {
    event.preventDefault()
    const option = shown[current]
    if (option) choose(option)
    else {
      open(false)
      onEnter()
    }
  }
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && shown.length > 0) {
      event.preventDefault()
      setCurrent((at) => ((at + step + shown.length + 2) % (shown.length + 1)) - 1)
    } else if (event.key === 'Escape') open(false)
  }
  return (
    <form className={icon ? 'search' : 'search plain'} onSubmit={enter}>
      {icon}
      {hasVisibleLabel && <label htmlFor={`${id}field`}>{label}</label>}
      <input
        id={`${id}field`}
        ref={fieldRef}
        type={type}
        role="combobox"
        aria-label={hasVisibleLabel ? undefined : label}
        aria-expanded={shown.length > 0}
        aria-controls={`${id}list`}
        aria-autocomplete="list"
        aria-activedescendant={shown[current] && `${id}${current}`}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        maxLength={300}
        value={text}
        onChange={({ target }) => {
          open(true)
          onText(target.value)
        }}
        onFocus={() => open(true)}
        onKeyDown={move}
        onBlur={() => open(false)}
      />
      {button && <button type="submit">{button}</button>}
      <div
        className="suggestions"
        id={`${id}list`}
        role="listbox"
        aria-label="Suggestions"
        hidden={shown.length === 0}
      >
        {shown.map((option, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys of the list
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the option
          <div
            key={option.key}
            id={`${id}${i}`}
            role="option"
            aria-selected={i === current}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(option)}
          >
            {option.content}
          </div>
        ))}
      </div>
      {note && isOpen && shown.length === 0 && (
        <p className="suggestions" role="status">
          {note}
        </p>
      )}
    </form>
  )
}
