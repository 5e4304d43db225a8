/** The graph's scalars in JSON, in variables (input) and in answers (output). */
export interface Scalars {
  /** 0x and 40 hexadecimal digits. Input in any case, output in lower case. */
  Address: { input: string; output: string }
  /**
   * A decimal integer of any size. Send a `bigint` as `String(amount)`, and read it with
   * `BigInt(text)`.
   */
  BigInt: { input: string | number; output: string }
  /** A date in UTC, such as 2025-03-01. */
  Date: { input: string; output: string }
  /** A point in time in UTC, ISO 8601. A date alone means midnight. */
  DateTime: { input: string; output: string }
  /** An integer from 0 to 2^53-1. */
  SafeInt: { input: number; output: number }
}
