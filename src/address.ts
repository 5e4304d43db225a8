const ADDRESS = /^0x[0-9a-f]{40}$/i

/**
 * True for an address in any case: 0x, or 0X as an upper-cased text has it, and 40 hexadecimal
 * digits.
 */
export const isAddress = (text: string): boolean => ADDRESS.test(text)

/** An address as it is stored and compared. Undefined for other text. */
export const readAddress = (text: string): string | undefined =>
  isAddress(text) ? text.toLowerCase() : undefined

/** True for the hash of a transaction. */
export const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text)

/** A hash as it is stored: as given, or in lower case if all of it is upper-case. */
export const storedHash = (text: string): string =>
  text.startsWith('0X') ? text.toLowerCase() : text

/** A pattern of JSON Schema, which has no flags. */
export const ADDRESS_PATTERN = '0[xX][a-fA-F0-9]{40}'
