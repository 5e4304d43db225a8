/** The graph's scalars as they are in JSON: what a variable may be (input), and what an answer has (output). */
export interface Scalars {
  /** 0x and 40 hexadecimal digits; any case in, lower case out. */
  Address: { input: string; output: string }
  /** A decimal integer of any size. A `bigint` is sent as text: `String(amount)`, and read by `BigInt(text)`. */
  BigInt: { input: string | number; output: string }
  /** A moment in UTC, ISO 8601; a date alone is midnight. */
  DateTime: { input: string; output: string }
  /** An integer from 0 to 2^53-1. */
  SafeInt: { input: number; output: number }
}
