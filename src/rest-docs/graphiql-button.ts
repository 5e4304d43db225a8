import type { createElement, FunctionComponent } from 'react'
import { basePath } from './served.ts'

interface Operation {
  path: string
  method: string
}

/** A value of Swagger UI's state. */
interface Plain {
  toJS(): { in: string; name: string; example?: unknown }[]
}

/** The parts of Swagger UI that a component can use. */
interface System {
  React: { createElement: typeof createElement }
  specSelectors: {
    specJson(): { getIn(keys: string[]): unknown }
    parameterValues(operation: [path: string, method: string]): {
      entries(): Iterable<[string, unknown]>
    }
  }
}

/**
 * Opens the GraphQL operation of a GET, with the variables of the `link` header of its response.
 */
async function openInGraphiQL(url: string, query: string): Promise<void> {
  const tab = window.open('about:blank')
  try {
    const response = await fetch(url)
    if (!response.ok) throw new Error((await response.json()).detail)
    const [, parameters] = /\?([^>]*)>/.exec(response.headers.get('link') ?? '') ?? []
    if (!parameters) throw new Error('There are too many parameters for a link.')
    const variables = JSON.stringify(
      JSON.parse(new URLSearchParams(parameters).get('variables') ?? '{}'),
      null,
      2,
    )
    if (tab) tab.location.href = `${basePath}/graphql#${new URLSearchParams({ query, variables })}`
  } catch (error) {
    tab?.close()
    alert((error as Error).message)
  }
}

/** The URL of an operation with the values of its form, or the examples of a form not yet opened. */
function urlOf({ path, method }: Operation, { specSelectors }: System): string {
  const values = new Map<string, unknown>()
  const parameters = specSelectors.specJson().getIn(['paths', path, method, 'parameters'])
  for (const parameter of (parameters as Plain | undefined)?.toJS() ?? [])
    values.set(`${parameter.in}.${parameter.name}`, parameter.example)
  for (const [id, value] of specSelectors.parameterValues([path, method]).entries())
    values.set(id, (value as Partial<Plain> | undefined)?.toJS?.() ?? value)
  const search = new URLSearchParams()
  let url = path
  for (const [id, value] of values) {
    const [where, name] = [id.slice(0, id.indexOf('.')), id.slice(id.indexOf('.') + 1)]
    const sent = [value].flat().filter((one) => one != null && one !== '')
    if (where === 'path' && sent.length > 0)
      url = url.replace(`{${name}}`, encodeURIComponent(String(sent[0])))
    if (where === 'query') for (const one of sent) search.append(name, String(one))
  }
  return `${basePath}${url}?${search}`
}

/** Swagger UI renders this in the row of each operation, where it has nothing to show. */
const withGraphiQL =
  (_: unknown, system: System): FunctionComponent<{ path: Iterable<string> }> =>
  ({ path: place }) => {
    const [section, path = '', method = '', ...deeper] = place ?? []
    const query = system.specSelectors
      .specJson()
      .getIn(['paths', path, method, 'x-graphql-operation'])
    if (section !== 'paths' || method !== 'get' || deeper.length > 0 || !query) return null
    const onClick = () => openInGraphiQL(urlOf({ path, method }, system), String(query))
    return system.React.createElement(
      'button',
      { type: 'button', className: 'btn in-graphiql', onClick },
      'Open in GraphiQL',
    )
  }

/**
 * A plugin of Swagger UI: a button in the row of each GET that opens its operation in GraphiQL.
 */
export const graphiqlButton = () => ({ wrapComponents: { JumpToPath: withGraphiQL } })
