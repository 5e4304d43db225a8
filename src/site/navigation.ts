import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { graphPages } from './graph-reference.ts'
import { homePage } from './home.ts'
import type { Page } from './page.ts'

/** A page, or a link to a part of a page or to another page of the gateway. */
export type Entry = Page | { title: string; href: string }

export interface Group {
  title: string
  entries: Entry[]
}

/** The group of pages about the program's own code. */
export const ABOUT = 'About the project'

/** Every page of the site, in the order of its navigation. Fails if a file is missing. */
export function navigation(root: string): Group[] {
  const page = (title: string, path: string, file: string): Page => {
    if (!existsSync(join(root, file)))
      throw new Error(`src/site/navigation.ts lists ${file}, which does not exist.`)
    return { title, path, file, content: readFileSync(join(root, file), 'utf8') }
  }
  return [
    { title: 'Start', entries: [homePage, page('Introduction', 'start', 'src/docs/start.md')] },
    {
      title: 'Guides',
      entries: [
        page('Legacy client', 'legacy-client', 'src/docs/legacy-client.md'),
        page('Dashboard developer', 'dashboard-developer', 'src/docs/dashboard-developer.md'),
        page('Data analyst', 'data-analyst', 'src/docs/data-analyst.md'),
        page('Tables', 'tables', 'src/docs/tables.md'),
        page('Your protocol in an hour', 'your-protocol', 'src/docs/your-protocol.md'),
        page('Import format', 'import-format', 'src/docs/import-format.md'),
        page('Operator', 'operator', 'src/docs/operator.md'),
        page('Alerts', 'alerts', 'src/docs/alerts.md'),
        page('Agents', 'mcp', 'src/docs/agents.md'),
        page('API keys', 'keys', 'src/docs/keys.md'),
        page('Contributor', 'contributor', 'src/docs/contributor.md'),
      ],
    },
    {
      title: 'Interfaces',
      entries: [
        page('Dashboard', 'dashboard', 'src/web/README.md'),
        page('GraphQL', 'graphql', 'src/graphql/README.md'),
        page('TypeScript client', 'client', 'src/client/README.md'),
        page('Changes of the client', 'client-changes', 'src/client/CHANGELOG.md'),
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
        { title: 'REST endpoints', href: '/docs/rest' },
        { title: 'Commands', href: '/docs/cli#the-command-line' },
        { title: 'Settings', href: '/docs/cli#settings' },
        { title: 'Import format', href: '/docs/import-format' },
        { title: 'Errors', href: '/docs/graphql#errors' },
        page('Metrics', 'metrics', 'src/deploy/metrics.md'),
      ],
    },
    {
      title: ABOUT,
      entries: [
        page('The repository', 'repository', 'README.md'),
        page('Architecture', 'architecture', 'src/README.md'),
        page('Domain', 'domain', 'src/domain/README.md'),
        page('Store', 'store', 'src/db/README.md'),
        page('Embedded Postgres', 'embedded', 'src/embedded/README.md'),
        page('pothos-sql', 'pothos-sql', 'src/pothos-sql/README.md'),
        page('Sources', 'sources', 'src/sources/README.md'),
        page('GraphiQL page', 'graphiql-page', 'src/graphiql/README.md'),
        page('REST docs', 'rest-docs', 'src/rest-docs/README.md'),
        page('This site', 'site', 'src/site/README.md'),
        page('Contributing', 'contributing', '.github/CONTRIBUTING.md'),
        page('Tests', 'tests', 'test/README.md'),
        page('Sample data', 'sample', 'src/sample/README.md'),
        page('Hooks', 'hooks', 'src/hooks/README.md'),
        page('Keys', 'api-keys', 'src/keys/README.md'),
        page('Datasets over HTTP', 'datasets', 'src/datasets/README.md'),
        page('Cards and badges', 'share', 'src/share/README.md'),
        page('Ways in for agents', 'agents', 'src/agents/README.md'),
        page('Tables over HTTP', 'tables-room', 'src/tables/README.md'),
        page('Benchmarks', 'benchmarks', 'src/bench/README.md'),
        page('Attacks', 'attacks', 'test/fire/README.md'),
        page('Facts', 'facts', 'test/facts/README.md'),
        page('Changelog', 'changelog', '.github/CHANGELOG.md'),
      ],
    },
  ]
}
