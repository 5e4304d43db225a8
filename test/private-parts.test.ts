import Fastify from 'fastify'
import { buildSchema } from 'graphql'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType, makeServer } from 'graphql-ws'
import pg from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'
import { serialize } from 'pg-protocol/dist/serializer.js'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { getDatamodel } from '../src/generated/pothos.ts'

/**
 * The parts of packages that they do not document, and that the program relies on. Each of these
 * packages has an exact version. Check these parts before you change it.
 */

test.each([
  'pg-protocol',
  'pg',
  'graphql-ws',
  'fastify',
  '@pothos/core',
  '@pothos/plugin-prisma',
] as const)('%s has an exact version', (name) => {
  expect(manifest.dependencies[name]).toMatch(/^\d+\.\d+\.\d+$/)
})

test('pg-protocol parses each message by handlePacket, and serializes execute and sync', () => {
  const codes: number[] = []
  class Watched extends (Parser as unknown as new () => any) {
    handlePacket(offset: number, code: number, length: number, bytes: Buffer) {
      codes.push(code)
      return super.handlePacket(offset, code, length, bytes)
    }
  }
  const parser = new Watched()
  expect([parser.bufferOffset, parser.bufferLength]).toEqual([0, 0])
  const row = Buffer.from([68, 0, 0, 0, 11, 0, 1, 0, 0, 0, 1, 55])
  const messages: any[] = []
  parser.parse(row, (message: unknown) => messages.push(message))
  expect(codes).toEqual([68])
  expect(messages).toMatchObject([{ name: 'dataRow', fields: ['7'] }])
  expect(serialize.execute({})[0]).toBe('E'.charCodeAt(0))
  expect(serialize.sync()[0]).toBe('S'.charCodeAt(0))
})

test('pg has the steps of a query on its prototype, and the names of statements on a connection', () => {
  const { submit, prepare, handleDataRow } = pg.Query.prototype as any
  for (const step of [submit, prepare, handleDataRow]) expect(step).toBeTypeOf('function')
  const client = new pg.Client() as any
  expect(client.connection).toMatchObject({ parsedStatements: {}, submittedNamedStatements: {} })
  for (const name of ['describe', 'close'])
    expect(client.connection[name], name).toBeTypeOf('function')
})

test('graphql-ws names a message that only a server may send as unexpected', async () => {
  const server = makeServer({ schema: buildSchema('type Query { one: Int }') })
  let receive: ((message: string) => Promise<void>) | undefined
  const closed = server.opened(
    {
      protocol: GRAPHQL_TRANSPORT_WS_PROTOCOL,
      send() {},
      close() {},
      onMessage(handle) {
        receive = handle
      },
    },
    {},
  )
  const next = JSON.stringify({ id: '1', type: MessageType.Next, payload: { data: null } })
  await receive?.(JSON.stringify({ type: MessageType.ConnectionInit }))
  await expect(receive?.(next)).rejects.toThrow(/^Unexpected message of type/)
  await closed()
})

test("fastify answers requests by one listener of Node's server, which another one may call", async () => {
  const app = Fastify()
  app.get('/', async () => 'answered')
  const [listener, ...others] = app.server.listeners('request')
  expect(others).toEqual([])
  app.server.removeAllListeners('request')
  let seen = 0
  app.server.on('request', (request, response) => {
    seen++
    listener?.call(app.server, request, response)
  })
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  expect(await (await fetch(base)).text()).toBe('answered')
  expect(seen).toBe(1)
  await app.close()
})

test("Pothos' plugin for Prisma reads models, their fields and keys from what it generated", () => {
  const { models } = (getDatamodel() as any).datamodel
  expect(models.Pool.fields).toContainEqual(
    expect.objectContaining({ name: 'unit1', kind: 'object', type: 'Market' }),
  )
  for (const part of ['primaryKey', 'uniqueIndexes']) expect(models.Pool).toHaveProperty(part)
})
