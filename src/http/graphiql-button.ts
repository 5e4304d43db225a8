/**
 * A script for the REST docs: next to each Execute button of a GET it adds a button that opens the operation in GraphiQL,
 * with the variables of the `link` header in the endpoint's answer.
 */
export const GRAPHIQL_BUTTON = `
const withGraphiQL = (Execute, { React, specSelectors }) => (props) => {
  const { path, method } = props
  const query = specSelectors.specJson().getIn(['paths', path, method, 'x-graphql-operation'])
  if (method !== 'get' || !query) return React.createElement(Execute, props)
  const open = async () => {
    const search = new URLSearchParams()
    let url = path
    for (const [id, value] of specSelectors.parameterValues([path, method]).entries()) {
      const [where, name] = [id.slice(0, id.indexOf('.')), id.slice(id.indexOf('.') + 1)]
      const values = (value && value.toJS ? value.toJS() : [value]).filter((one) => one !== undefined && one !== null && one !== '')
      if (where === 'path' && values.length) url = url.replace('{' + name + '}', encodeURIComponent(values[0]))
      if (where === 'query') for (const one of values) search.append(name, one)
    }
    const tab = window.open('about:blank')
    try {
      const response = await fetch(url + '?' + search)
      if (!response.ok) throw new Error((await response.json()).detail)
      const [, parameters] = /\\?([^>]*)>/.exec(response.headers.get('link') || '') || []
      if (!parameters) throw new Error('There are too many parameters for a link.')
      const variables = JSON.stringify(JSON.parse(new URLSearchParams(parameters).get('variables')), null, 2)
      tab.location = '/graphql#' + new URLSearchParams({ query, variables })
    } catch (error) {
      tab.close()
      alert(error.message)
    }
  }
  return React.createElement(
    React.Fragment,
    null,
    React.createElement(Execute, props),
    React.createElement('button', { className: 'btn graphiql', onClick: open }, 'Open in GraphiQL'),
  )
}
const bundle = window.SwaggerUIBundle
const plugin = () => ({ wrapComponents: { execute: withGraphiQL } })
window.SwaggerUIBundle = Object.assign((config) => bundle({ ...config, plugins: [...config.plugins, plugin] }), bundle)
`
