import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import { buildPage } from '../build/page.ts'

/**
 * Builds dist/graphiql. It is one script: all of it is needed before the page can be used, and the
 * forty files that its import()s would make take longer to arrive.
 */
export const buildGraphiQL = () =>
  buildPage({
    room: 'graphiql',
    url: '/graphql',
    from: ['src/web/copy-as.ts', 'src/web/csv.ts', 'src/web/operator.ts', 'src/formula.ts'],
    options: { plugins: [noFonts] },
  })

/** GraphiQL's style sheet without its fonts, which are two thirds of the page. */
const noFonts: Plugin = {
  name: 'no fonts',
  setup({ onLoad }) {
    onLoad({ filter: /graphiql[/\\]dist[/\\]style\.css$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(/@font-face\s*\{[^}]*\}/g, ''),
      loader: 'css',
    }))
  },
}
