import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { graphPages } from './graph-reference.ts'
import type { Page } from './page.ts'
import { restPage } from './rest-reference.ts'

/** A page, or a link to a part of a page or to another page of the gateway. */
export type Entry = Page | { title: string; href: string }

export interface Group {
  title: string
  entries: Entry[]
}

/** The guides of src/docs, in the order of the navigation. */
const GUIDES = {
  start: 'Start here',
  'legacy-client': 'Legacy client',
  'dashboard-developer': 'Dashboard developer',
  'data-analyst': 'Data analyst',
  operator: 'Operator',
  contributor: 'Contributor',
}

/** Every page of the site, in the order of its navigation. Fails if a file is missing, or has no place here. */
export function navigation(root: string): Group[] {
  const page = (title: string, path: string, file: string): Page => {
    if (!existsSync(join(root, file))) throw new Error(`src/site/navigation.ts lists ${file}, which does not exist.`)
    return { title, path, file, content: readFileSync(join(root, file), 'utf8') }
  }
  return [
    { title: 'Overview', entries: [page('The gateway', '', 'README.md')] },
    { title: 'Guides', entries: guides(root).map((name) => page(GUIDES[name], name, `src/docs/${name}.md`)) },
    {
      title: 'Interfaces',
      entries: [
        page('GraphQL', 'graphql', 'src/graphql/README.md'),
        page('TypeScript client', 'client', 'src/client/README.md'),
        page('REST', 'rest-endpoints', 'src/rest/README.md'),
        page('Command line', 'cli', 'src/cli/README.md'),
      ],
    },
    {
      title: 'Operations',
      entries: [
        page('Deployment', 'deploy', 'src/deploy/README.md'),
        page('Runbook', 'runbook', 'src/deploy/runbook.md'),
        page('Security', 'security', '.github/SECURITY.md'),
      ],
    },
    { title: 'Graph', entries: graphPages(root) },
    {
      title: 'Reference',
      entries: [
        restPage(root),
        { title: 'Commands', href: '/docs/cli#the-command-line' },
        { title: 'Settings', href: '/docs/cli#settings' },
        { title: 'Import format', href: '/docs/cli#import' },
        { title: 'Errors', href: '/docs/graphql#errors' },
        page('Metrics', 'metrics', 'src/deploy/metrics.md'),
      ],
    },
    {
      title: 'About',
      entries: [
        page('Architecture', 'architecture', 'src/README.md'),
        page('Contributing', 'contributing', '.github/CONTRIBUTING.md'),
        page('Tests', 'tests', 'test/README.md'),
        page('Benchmarks', 'benchmarks', 'test/bench/README.md'),
        page('Attacks', 'attacks', 'test/fire/README.md'),
        page('Facts', 'facts', 'test/facts/README.md'),
        page('Changelog', 'changelog', '.github/CHANGELOG.md'),
      ],
    },
  ].filter(({ entries }) => entries.length > 0)
}

/** The names of the guides that are there. */
function guides(root: string): (keyof typeof GUIDES)[] {
  const known = Object.keys(GUIDES) as (keyof typeof GUIDES)[]
  const found = readdirSync(join(root, 'src'), { recursive: true })
    .map((path) => /^docs[/\\](.+)\.md$/.exec(String(path))?.[1])
    .filter((name) => name !== undefined)
  const unknown = found.find((name) => !known.includes(name as keyof typeof GUIDES))
  if (unknown !== undefined)
    throw new Error(`src/docs/${unknown}.md has no place in the navigation: add it to src/site/navigation.ts.`)
  return known.filter((name) => found.includes(name))
}
