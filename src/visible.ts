// Controls, and characters that reorder, hide or break others on a terminal.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const codeOf = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const escaped = (character: string) =>
  character === '\n' ? '\\n' : character.split('').map(codeOf).join('')

/**
 * A text as a terminal may show it, in one line. Stored texts are anybody's: a token's symbol may
 * clear the screen.
 */
export const visible = (text: string): string => text.replace(UNSEEN, escaped)

/** The same for a text of several lines. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n')

/** A value as one line of JSON, which says the same without such characters. */
export const visibleJson = (value: unknown): string => visible(JSON.stringify(value))

const ESCAPE = /\\(u[0-9a-f]{4}|.)/g

/** A line of JSON whose texts a terminal may show when they are parsed. Line feeds stay. */
export const visibleWhenParsed = (line: string): string =>
  line
    .replace(ESCAPE, (all, code: string) => (code.length > 1 ? `\\${all}` : all))
    .replace(UNSEEN, (character) =>
      character === '\n' ? character : escaped(character).replaceAll('\\', '\\\\'),
    )
