/**
 * The beginning of a text that a spreadsheet takes for a formula, by the list of OWASP: a regular
 * expression of JavaScript and of Postgres. Texts that begin with apostrophes and one of these are
 * among them, so that removing the first apostrophe always gives the text. A number is not a
 * formula.
 */
export const FORMULA = String.raw`^(?![+-]?\d+(\.\d+)?(e[+-]?\d+)?$)('*[=+\-@\t\r\n＝＋－＠])`
