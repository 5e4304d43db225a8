/** A page of the documentation site. */
export interface Page {
  /** Its address below /docs. The first page has none. */
  path: string
  /** Its name in the navigation. */
  title: string
  /**
   * The Markdown file that it shows, from the root of the repository. Undefined if the build makes
   * its content.
   */
  file: string | undefined
  /** Markdown if there is a file, HTML otherwise. */
  content: string
}

/** The path of a page. */
export const addressOf = ({ path }: Page) => (path === '' ? '/docs' : `/docs/${path}`)
