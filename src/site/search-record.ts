/** The groups of what the search finds, in their order: guides explain, references list. */
export const SEARCH_GROUPS = [
  'Guides',
  'Graph',
  'REST',
  'Commands and settings',
  'About the project',
] as const

/** Something that the search finds. */
export interface SearchRecord {
  group: (typeof SEARCH_GROUPS)[number]
  /** The page that it is on. */
  page: string
  title: string
  url: string
  text: string
}
