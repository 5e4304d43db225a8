import { pools, users, vaults } from './data.ts'
import type { Ask, Fact } from './fact.ts'

/** Pages of connections, and objects by their ids. */

const rows = 'SELECT id AS "legacy.recordId" FROM scored ORDER BY date DESC, id'
const count = 'SELECT count(*) FROM scored'
/** The cursor of a position, by its place in the list. */
const cursorOf = (place: number) => async (ask: Ask) => {
  const { positions } = await ask(`{ positions(first: 1, offset: ${place}) { edges { cursor } } }`)
  return { cursor: positions.edges[0].cursor }
}
const page = (args: string, sql: string, cursor?: number): Fact => ({
  name: `positions(${args})${cursor === undefined ? '' : ` with the cursor of row ${cursor}`}`,
  query: `positions(${args}) { totalCount nodes { legacy { recordId } } }`,
  at: 'positions.nodes',
  sql: `SELECT * FROM (${rows}) r ${sql}`,
  total: count,
  ...(sql === 'LIMIT 0' ? { empty: true as const } : {}),
  ...(cursor === undefined
    ? {}
    : { variables: { types: '$cursor: String!', from: cursorOf(cursor) } }),
})
const info = (args: string, [next, previous]: [boolean, boolean], cursor?: number): Fact => ({
  name: `what is around positions(${args})${cursor === undefined ? '' : ` with the cursor of row ${cursor}`}`,
  query: `positions(${args}) { pageInfo { hasNextPage hasPreviousPage } }`,
  at: 'positions.pageInfo',
  sql: `SELECT ${next} AS "hasNextPage", ${previous} AS "hasPreviousPage"`,
  ...(cursor === undefined
    ? {}
    : { variables: { types: '$cursor: String!', from: cursorOf(cursor) } }),
})

/** The id of an object, and what else the object says of itself. */
const node = (type: string, query: string, selection: string, sql: string): Fact => ({
  name: `a ${type} by its id`,
  query: `node(id: $id) { __typename id @include(if: false) ... on ${type} { ${selection} } }`,
  at: 'node',
  sql: sql.replace('SELECT', `SELECT '${type}' AS __typename,`),
  variables: {
    types: '$id: ID!',
    async from(ask) {
      let object = await ask(`{ ${query.replace('ID', 'id')} }`)
      while (object.id === undefined) object = Object.values(object)[0]
      return { id: object.id }
    },
  },
})

export const pagingFacts: Fact[] = [
  page('first: 5', 'LIMIT 5'),
  page('first: 5, offset: 3', 'OFFSET 3 LIMIT 5'),
  page('first: 0', 'LIMIT 0'),
  page('last: 4', `OFFSET (${count}) - 4`),
  page('first: 5, after: $cursor', 'OFFSET 11 LIMIT 5', 10),
  page('last: 5, before: $cursor', 'OFFSET 5 LIMIT 5', 10),
  page('last: 50, before: $cursor', 'LIMIT 2', 2),
  page('first: 7, offset: 2, after: $cursor', 'OFFSET 6 LIMIT 7', 3),
  page('first: 1000, before: $cursor', 'LIMIT 10', 10),
  page('first: 5, offset: 90000', 'LIMIT 0'),
  info('first: 5', [true, false]),
  info('first: 1000', [false, false]),
  info('last: 4', [false, true]),
  info('first: 1, after: $cursor', [true, true], 0),
  info('last: 1, before: $cursor', [true, true], 2),
  info('last: 1, before: $cursor', [true, false], 1),
  {
    name: 'a page of another order, after its cursor, in the midst of ties',
    query: `positions(first: 4, where: { users: ["${users.ben}", "${users.cat}"] }, orderBy: POINTS, orderDirection: DESC,
      after: $cursor) { totalCount nodes { legacy { recordId } } }`,
    at: 'positions.nodes',
    sql: `SELECT id AS "legacy.recordId" FROM scored WHERE "user" IN ('${users.ben}', '${users.cat}')
      ORDER BY points DESC, date DESC, id OFFSET 3 LIMIT 4`,
    total: `SELECT count(*) FROM scored WHERE "user" IN ('${users.ben}', '${users.cat}')`,
    variables: {
      types: '$cursor: String!',
      async from(ask) {
        const { positions } =
          await ask(`{ positions(first: 3, where: { users: ["${users.ben}", "${users.cat}"] },
          orderBy: POINTS
          orderDirection: DESC) { pageInfo { endCursor } } }`)
        return { cursor: positions.pageInfo.endCursor }
      },
    },
  },
  {
    name: 'snapshots backward from a cursor, in the midst of one moment',
    query: `vault(chainId: 1, address: "${vaults.same}") { snapshots(last: 2, before: $cursor) { nodes { userAddress positionId } } }`,
    at: 'vault.snapshots.nodes',
    sql: `SELECT "accountId" AS "userAddress", "positionId" FROM vault_snapshots WHERE "vaultId" = '${vaults.same}' AND "chainId" = 1
      ORDER BY timestamp, "accountId", "positionId" OFFSET 1 LIMIT 2`,
    variables: {
      types: '$cursor: String!',
      async from(ask) {
        const { vault } = await ask(
          `{ vault(chainId: 1, address: "${vaults.same}") { snapshots(first: 4) { edges { cursor } } } }`,
        )
        return { cursor: vault.snapshots.edges[3].cursor }
      },
    },
  },
  {
    name: 'positions after the record with an id',
    query: 'legacy { positions(first: 3, afterRecord: $id) { nodes { legacy { recordId } } } }',
    at: 'legacy.positions.nodes',
    sql: `${rows} OFFSET 8 LIMIT 3`,
    variables: {
      types: '$id: String!',
      async from(ask) {
        const { positions } = await ask('{ positions(first: 8) { nodes { legacy { recordId } } } }')
        return { id: positions.nodes[7].legacy.recordId }
      },
    },
  },
  {
    name: 'the leaderboard around an account',
    query: `leaderboardAround(user: "${users.cat}", first: 3) { nodes { userAddress rank } }`,
    at: 'leaderboardAround.nodes',
    sql: `SELECT account AS "userAddress", rank FROM ranks WHERE rank BETWEEN (SELECT rank FROM ranks WHERE account = '${users.cat}') - 1
      AND (SELECT rank FROM ranks WHERE account = '${users.cat}') + 1 ORDER BY rank`,
  },

  node(
    'User',
    `user(address: "${users.ben}") { ID }`,
    'address rank',
    `SELECT account AS address, rank FROM ranks WHERE account = '${users.ben}'`,
  ),
  node(
    'Pool',
    `pool(address: "${pools.wild}") { ID }`,
    'name',
    `SELECT name FROM pools WHERE id = '${pools.wild}'`,
  ),
  node(
    'Market',
    'markets(where: { chainIds: 42161 }, first: 1) { nodes { ID } }',
    'chainId address borrowRate: borrowApr',
    `SELECT "chainId", id AS address, "borrowRate" FROM markets WHERE "chainId" = 42161 ORDER BY id LIMIT 1`,
  ),
  node(
    'Vault',
    `vault(chainId: 42161, address: "${vaults.same}") { ID }`,
    'chainId name',
    `SELECT "chainId", name FROM vaults WHERE "chainId" = 42161`,
  ),
  node(
    'Position',
    'positions(first: 1) { nodes { ID } }',
    'legacy { recordId } points',
    'SELECT id AS "legacy.recordId", points FROM scored WHERE date = (SELECT max(date) FROM scored) ORDER BY id LIMIT 1',
  ),
  node(
    'Multiplier',
    `pool(address: "${pools.eth}") { multiplier { ID } }`,
    'poolAddress depositA',
    `SELECT "poolAddress", "deposit_tokenA" AS "depositA" FROM multipliers WHERE import = 2`,
  ),
  node(
    'Distribution',
    'distribution(date: "2025-03-31") { ID }',
    'date positionCount',
    `SELECT date, count(*) AS "positionCount" FROM scored WHERE date = '2025-03-31' GROUP BY date`,
  ),
]
