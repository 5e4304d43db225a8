import { filesIn, node, unlessFresh } from '../build/fresh.ts'

/**
 * Builds dist/docs: the documentation of every room, and the references of the graph and of REST.
 */
export async function buildSite(): Promise<void> {
  const documents = (await Promise.all(['README.md', '.github', 'src', 'test'].map(filesIn)))
    .flat()
    .filter((file) => /\.(md|svg|png)$/.test(file))
  const graph = [
    'src/graphql/examples.ts',
    'src/generated/schema.graphql',
    'src/generated/openapi.json',
  ]
  await unlessFresh('site', ['src/site', 'src/web/brand', ...graph, ...documents], async () => {
    await node('--import', 'tsx', 'src/site/main.ts')
    return ['dist/docs']
  })
}
