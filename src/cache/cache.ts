/**
 * Texts by key that several gateways share for a few minutes. Losing one only costs a
 * recomputation.
 */
export interface Cache {
  /** The value. Undefined if there is none or the cache is unreachable. */
  get(key: string): Promise<string | undefined>
  /** Stores a value in the background, if there is room and the cache is reachable. */
  set(key: string, value: string): void
  /** @throws while the cache does not answer */
  ping(): Promise<void>
  close(): Promise<void>
}
