import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GraphQLSchema, printSchema } from 'graphql'

/** A text that a client reads whole. */
export interface Resource {
  uri: string
  name: string
  title: string
  mimeType: string
  read(): Promise<string>
}

// The build writes the guides next to the pages of the documentation.
const GUIDES = join(import.meta.dirname, 'docs/guides')

/** The schema of the graph, and the guides. */
export async function resourcesOf(schema: GraphQLSchema): Promise<Resource[]> {
  let printed: string | undefined
  const files = await readdir(GUIDES).catch(() => [])
  const guides = files.sort().map(async (file) => {
    const text = await readFile(join(GUIDES, file), 'utf8')
    const [, title = file] = /^# (.*)$/m.exec(text) ?? []
    return {
      ...{ uri: `docs://${file}`, name: file, title, mimeType: 'text/markdown' },
      read: async () => text,
    }
  })
  return [
    {
      uri: 'docs://schema.graphql',
      name: 'schema.graphql',
      title: 'The schema of the graph',
      mimeType: 'application/graphql',
      // It takes 10 ms of the event loop to print.
      read: async () => {
        printed ??= printSchema(schema)
        return printed
      },
    },
    ...(await Promise.all(guides)),
  ]
}
