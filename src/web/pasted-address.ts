/** An address that no hexadecimal digit continues, as in the hash of a transaction. */
const ADDRESS = /0x[0-9a-f]{40}(?![0-9a-f])/i
const NOT_SHOWN = /[\p{C}\p{Default_Ignorable_Code_Point}\s]/gu

/**
 * The address in a text that someone pasted: a link to a block explorer, an address in quotes, or
 * one with spaces or invisible characters in it. Undefined if it has none.
 */
export function pastedAddress(text: string): string | undefined {
  const plain = text.normalize('NFKC')
  const found = ADDRESS.exec(plain) ?? ADDRESS.exec(plain.replace(NOT_SHOWN, ''))
  return found?.[0].toLowerCase()
}
