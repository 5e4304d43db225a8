import type { PageData } from '../../src/graphiql/page-data.ts'

/** What a browser gets at /graphql: the page, and the data in it. */
export async function graphiqlPage(
  base: string,
): Promise<{ response: Response; html: string; data: PageData }> {
  const response = await fetch(`${base}/graphql`, { headers: { accept: 'text/html' } })
  const html = await response.text()
  const [, data = ''] =
    /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html) ?? []
  return { response, html, data: JSON.parse(data) }
}

/** The examples of the page, each with variables from the store of the gateway. */
export async function pageExamples(
  base: string,
): Promise<{ name: string; query: string; variables: object }[]> {
  const { data } = await graphiqlPage(base)
  return data.examples.map((example) => ({ ...example, variables: JSON.parse(example.variables) }))
}
