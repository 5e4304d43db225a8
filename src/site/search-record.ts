/** Something that the search finds. */
export interface SearchRecord {
  /** The page that it is on. */
  page: string
  title: string
  url: string
  text: string
}
