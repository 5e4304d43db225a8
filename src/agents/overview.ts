const UNITS = `An address is \`0x\` and 40 hexadecimal digits, dates are \`YYYY-MM-DD\` in UTC.
An APR is a fraction: 0.05 is 5 % a year. Fields whose names end in \`Usd\` are US dollars.`

/**
 * The text of `/llms.txt`, as https://llmstxt.org describes it.
 * @param name the name that the operator gave the gateway
 * @param at the address of the gateway for the client, without a slash at the end
 */
export const overview = (name: string, at: string): string => `# ${inOneLine(name)}

> Positions, interest, earnings and points of the users of a lending protocol, by GraphQL, REST and MCP.

Everything here can be read without a key. ${UNITS} An answer with status 429
says in \`retry-after\` how many seconds to wait.

## Ways in

- [The graph](${at}/graphql): GraphQL by GET or POST; it answers introspection, which describes each field and its unit
- [MCP](${at}/docs/mcp): tools and guides for chat clients, by streamable HTTP at ${at}/mcp
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

/**
 * The instructions that a client gets when it connects.
 * @param dates the first and the newest date with points, if there are any
 */
export function instructions(name: string, dates?: { first: string; last: string }): string {
  const known = dates
    ? `Points are known from ${dates.first} to ${dates.last}, which is the newest date: "now" in an answer.`
    : 'No date has points yet.'
  return `${inOneLine(name)}: positions, interest, earnings and points of the wallets of a lending protocol. All tools only read.

${known} ${UNITS}
A health factor below 1 can be liquidated. A fall is a negative change: -0.12 is 12 % down. Null is not known, not 0.

search turns a name into an address. A pool has two sides, marketA and marketB, each with a token; a vault lends one token.
An answer has at most 25,000 characters. If it has \`next\`, call the tool again with \`next.arguments\` for the rest.
An error says what to change; RATE_LIMITED says in \`retryAfterSeconds\` when to try again.`
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
