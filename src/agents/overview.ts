/**
 * The text of `/llms.txt`, as https://llmstxt.org describes it.
 * @param name the name that the operator gave the gateway
 * @param at the address of the gateway for the client, without a slash at the end
 */
export const overview = (name: string, at: string): string => `# ${inOneLine(name)}

> Positions, interest, earnings and points of the users of a lending protocol, by GraphQL and by REST.

Everything here can be read without a key. An address is \`0x\` and 40 hexadecimal digits, dates are \`YYYY-MM-DD\` in UTC.
An APR is a fraction: 0.05 is 5 % a year. Fields whose names end in \`Usd\` are US dollars. An answer with status 429
says in \`retry-after\` how many seconds to wait.

## Ways in

- [The graph](${at}/graphql): GraphQL by GET or POST; it answers introspection, which describes each field and its unit
- [The OpenAPI document of REST](${at}/openapi.json): every endpoint with its parameters
- [The dashboard](${at}/dashboard): the same data as pages for people

## Documentation

- [All pages with a summary of each](${at}/docs/llms.txt)
- [Start here](${at}/docs/start): the first queries
- [GraphQL](${at}/docs/graphql): lists, filters, limits and errors
- [REST](${at}/docs/rest-endpoints): endpoints and pages

## Optional

- [The texts of all pages](${at}/docs/llms-full.txt): long
`

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
