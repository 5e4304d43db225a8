/** The data that the gateway writes into the page. */
export interface PageData {
  /** Shown above the examples: why they have nothing to show. */
  notice: string | undefined
  examples: PageExample[]
}

export interface PageExample {
  name: string
  persona: string
  title: string
  query: string
  /** JSON. */
  variables: string
}
