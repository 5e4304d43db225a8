import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import { print } from 'graphql'
import { buildPage } from '../build/page.ts'

const DOCUMENT =
  /^export const (\w+) = (\{"kind":"Document".*\}) as unknown as DocumentNode<.*>;$/gm

/** Documents as text, which urql takes as well: their trees are four times as large. */
const documentsAsText: Plugin = {
  name: 'documents-as-text',
  setup: ({ onLoad }) =>
    onLoad({ filter: /generated\/client\/graphql\.ts$/ }, async ({ path }) => {
      const asText = (_: string, name: string, tree: string) =>
        `export const ${name} = ${JSON.stringify(print(JSON.parse(tree)))}`
      const contents = (await readFile(path, 'utf8')).replace(DOCUMENT, asText)
      return { contents, loader: 'ts' }
    }),
}

/** Builds dist/web: the dashboard, with the typed client from its source. */
export const buildDashboard = () =>
  buildPage({
    room: 'web',
    url: '/dashboard',
    from: ['src/formula.ts', 'src/client', 'src/generated/client'],
    options: {
      splitting: true,
      alias: { 'lending-graph-client': './src/client/client.ts' },
      plugins: [documentsAsText],
    },
  })
