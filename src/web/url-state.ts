import { useLocation, useSearchParams } from 'wouter'

export interface UrlState {
  get(name: string): string | undefined
  /** A value if it is one of those that are possible, or the first of them. */
  oneOf<Value extends string>(name: string, values: readonly [Value, ...Value[]]): Value
  /**
   * The address of this view with some of its state changed: undefined removes it. A list begins at
   * its first page again.
   */
  link(changes: Record<string, string | undefined>): string
  /** With `replace` the back button leads past the state that is left. */
  set(changes: Record<string, string | undefined>, options?: { replace?: boolean }): void
}

/** The state of a view: the parameters of its address. */
export function useUrlState(): UrlState {
  const [path, navigate] = useLocation()
  const [parameters] = useSearchParams()
  const link: UrlState['link'] = (changes) => {
    const next = new URLSearchParams(parameters)
    for (const [name, value] of Object.entries({ page: undefined, ...changes }))
      if (value) next.set(name, value)
      else next.delete(name)
    const search = next.toString()
    return search ? `${path}?${search}` : path
  }
  return {
    get: (name) => parameters.get(name) || undefined,
    oneOf: (name, values) => values.find((value) => value === parameters.get(name)) ?? values[0],
    link,
    set: (changes, options) => navigate(link(changes), options),
  }
}
