import type { createElement, Fragment, FunctionComponent } from 'react'
import { basePath } from './served.ts'

interface Operation {
  path: string
  method: string
}

/** The parts of Swagger UI that a component can use. */
interface System {
  React: { createElement: typeof createElement; Fragment: typeof Fragment }
  specSelectors: {
    specJson(): { getIn(keys: string[]): string | undefined }
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

/** The URL of an operation with the values of its form, whose ids are `in.name`. */
function urlOf({ path, method }: Operation, { specSelectors }: System): string {
  const search = new URLSearchParams()
  let url = path
  for (const [id, value] of specSelectors.parameterValues([path, method]).entries()) {
    const [where, name] = [id.slice(0, id.indexOf('.')), id.slice(id.indexOf('.') + 1)]
    const values = [(value as { toJS?(): unknown } | undefined)?.toJS?.() ?? value]
      .flat()
      .filter((one) => one != null && one !== '')
    if (where === 'path' && values.length > 0)
      url = url.replace(`{${name}}`, encodeURIComponent(String(values[0])))
    if (where === 'query') for (const one of values) search.append(name, String(one))
  }
  return `${basePath}${url}?${search}`
}

const withGraphiQL =
  (Execute: FunctionComponent<Operation>, system: System): FunctionComponent<Operation> =>
  (props) => {
    const { createElement, Fragment } = system.React
    const query = system.specSelectors
      .specJson()
      .getIn(['paths', props.path, props.method, 'x-graphql-operation'])
    const execute = createElement(Execute, props)
    if (props.method !== 'get' || !query) return execute
    const onClick = () => openInGraphiQL(urlOf(props, system), query)
    return createElement(
      Fragment,
      null,
      execute,
      createElement('button', { className: 'btn graphiql', onClick }, 'Open in GraphiQL'),
    )
  }

/**
 * A plugin of Swagger UI: a button next to Execute that opens the operation of a GET in GraphiQL.
 */
export const graphiqlButton = () => ({ wrapComponents: { execute: withGraphiQL } })
