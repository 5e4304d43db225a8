/** Groups of three digits: a comma before them may be a decimal or a separator of thousands. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2},\d{3}$/

/**
 * Reads a decimal number as people type it: its point may be a comma, the only key that phones in
 * many countries have. Undefined for other text, and for a number with a separator of thousands.
 */
export function decimalOf(typed: string): number | undefined {
  const text = typed.normalize('NFKC').replace(/[\s%]/g, '').replace('\u066B', ',')
  if (AMBIGUOUS.test(text) || !/^[+-]?(\d+([.,]\d*)?|[.,]\d+)$/.test(text)) return undefined
  return Number(text.replace(',', '.'))
}
