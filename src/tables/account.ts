import { type GraphQLObjectType, getNamedType } from 'graphql'
import type { PoolClient } from 'pg'
import type { Store } from '../db/connect/store.ts'
import { GatewayError } from '../errors.ts'
import { exactJson, parseExact } from '../exact-number.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { Operation } from '../graphql/execution/operation.ts'
import type { Source } from './lane.ts'
import { defaultColumns, type List, listsOf } from './lists.ts'
import { selectionOf } from './read-request.ts'
import { CHUNK, pageReader, readPage } from './rows.ts'

/** A list of an account: its rows are lines with its name. */
interface Part {
  name: string
  columns: string[]
  operation: Operation
}

// The positions of the newest date are among the others.
const LEFT_OUT = ['currentPositions']

interface Page {
  user: {
    list: {
      nodes: Record<string, unknown>[]
      pageInfo: { hasNextPage: boolean; endCursor: string | null }
    }
  }
}

/** All records of accounts, by the lists of the graph that an account has. */
export class Accounts {
  readonly #graph: Graph
  readonly #store: Store
  #parts: Part[] | undefined

  constructor(graph: Graph, store: Store) {
    this.#graph = graph
    this.#store = store
  }

  /** The lines of an account, in the order of the lists and of their rows. */
  sourceOf(address: string, turn: () => Promise<void>): Source<string> {
    this.#parts ??= this.#readParts()
    const parts = this.#parts
    const [first] = parts
    if (!first) throw new GatewayError('UNSUPPORTED', 'This store cannot send tables.')
    return {
      operation: first.operation,
      variables: { address },
      first: undefined,
      rows: (client) => this.#lines(client, parts, address, turn),
    }
  }

  async *#lines(
    client: PoolClient,
    parts: Part[],
    address: string,
    turn: () => Promise<void>,
  ): AsyncGenerator<string[]> {
    const reader = pageReader(this.#store, client)
    for (const { name, columns, operation } of parts) {
      const paths = columns.map((column) => [column, column.split('.')] as const)
      for (let after: string | null = null; ; ) {
        const answer = await readPage(operation, { address, after }, reader)
        await turn()
        const { nodes, pageInfo } = (parseExact(answer.json) as Page).user.list
        yield nodes.map((node) => {
          const values = paths.map(([column, path]) => [column, valueAt(node, path)])
          return `${exactJson({ list: name, ...Object.fromEntries(values) })}\n`
        })
        if (!pageInfo.hasNextPage) break
        after = pageInfo.endCursor
      }
    }
  }

  #readParts(): Part[] {
    const { schema } = this.#graph
    const user = schema.getQueryType()?.getFields().user
    const lists = listsOf(user && (getNamedType(user.type) as GraphQLObjectType))
    return [...lists.values()].flatMap((list) => {
      if (LEFT_OUT.includes(list.name)) return []
      const columns = defaultColumns(list.type).filter(
        (column) =>
          !column.startsWith('user.') && this.#prepare(list, [column]).plan.covers(ANYONE),
      )
      const { name } = list
      return columns.length > 0 ? [{ name, columns, operation: this.#prepare(list, columns) }] : []
    })
  }

  #prepare({ field }: List, columns: string[]): Operation {
    const rows = selectionOf(columns.map((column) => column.split('.')))
    const list = `list: ${field.name}(first: ${CHUNK}, after: $after)`
    return this.#graph.operations.prepare(
      `query Account($address: Address!, $after: String) { user(address: $address) {
        ${list} { nodes ${rows} pageInfo { hasNextPage endCursor } } } }`,
      undefined,
    )
  }
}

const ANYONE = { address: `0x${'0'.repeat(40)}` }

// Null if something on the path is.
function valueAt(node: Record<string, unknown>, path: string[]): unknown {
  let value: unknown = node
  for (const key of path) value = (value as Record<string, unknown> | null)?.[key] ?? null
  return value
}
