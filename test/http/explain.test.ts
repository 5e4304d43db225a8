import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import { ADMIN_TOKEN, type Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

const admin = { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-explain': 'read' }
const REST = '/points/leaderboard?limit=7'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 10, days: 2 })
})
afterAll(() => gateway.close())

/** The decisions about the read of a request. Undefined if its answer lists none. */
async function decisions(path: string, headers: Record<string, string> = admin, query?: string) {
  const body = query === undefined ? {} : { method: 'POST', body: JSON.stringify({ query }) }
  const sent = { 'content-type': 'application/json', ...headers }
  const response = await fetch(`${gateway.base}${path}`, { ...body, headers: sent })
  await response.arrayBuffer()
  const explained = response.headers.get('x-explain')
  return explained === null
    ? undefined
    : Object.fromEntries(explained.split('; ').map((one) => one.split('=')))
}

test('an admin sees how a request was read, over REST and the graph', async () => {
  const computed = {
    cache: 'miss',
    server: 'primary',
    run: 'plan',
    lane: expect.stringMatching(/^(quick|shared)$/),
  }
  expect(await decisions(REST)).toEqual(computed)
  // Nothing is cached before the gateway listens to changes.
  await expect.poll(() => decisions(REST)).toEqual({ cache: 'hit' })
  expect(await decisions(REST, { ...admin, 'cache-control': 'no-cache' })).toEqual({
    ...computed,
    cache: 'bypass',
  })
  const query = `{ user(address: "${sampleUser}") { totalPoints } }`
  expect(await decisions('/graphql', admin, query)).toEqual(computed)
  expect(await decisions('/graphql', admin, query)).toEqual({ cache: 'hit' })
})

test('resolvers and islands are named, and so is the slow lane of a large operation', async () => {
  const { data } = await gateway.graphql('{ pools(first: 1) { nodes { id } } }')
  const node = `node(id: "${data.pools.nodes[0].id}") { id }`
  expect(await decisions('/graphql', admin, `{ ${node} }`)).toMatchObject({
    run: 'resolvers',
    lane: 'quick',
  })
  expect(await decisions('/graphql', admin, `{ program { totalPoints } ${node} }`)).toMatchObject({
    run: 'islands',
  })
  const large = '{ positions(first: 1000) { nodes { points pool { name } user { rank } } } }'
  expect(await decisions('/graphql', admin, large)).toMatchObject({ run: 'plan', lane: 'slow' })
})

test('nobody else sees it, and other values of the header mean nothing', async () => {
  for (const headers of [
    { 'x-explain': 'read' },
    { ...admin, authorization: 'Bearer wrong' },
    { ...admin, 'x-explain': 'x' },
  ])
    expect(await decisions(REST, { ...headers, 'cache-control': 'no-cache' })).toBeUndefined()
})
