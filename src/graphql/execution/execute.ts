import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { DocumentNode, GraphQLError } from 'graphql'
import { GatewayError } from '../../errors.ts'
import { exactJson, parseExact } from '../../exact-number.ts'
import type { GraphContext } from '../context.ts'
import type { Planned, Rows } from '../plan/plan.ts'
import type { Graph } from './graph.ts'
import { resolvedParts } from './rows.ts'

/** Runs operations in process. */
export interface Execute {
  <Data, Variables>(operation: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Data>
  /**
   * Returns the rows of the operation's only list separately, as JSON; the list in `data` is empty. Objects selected
   * with `@flat` are merged into their parents.
   */
  rows<Data, Variables>(
    operation: TypedDocumentNode<Data, Variables>,
    variables: Variables,
  ): Promise<{ data: Data; rows: Rows }>
}

/**
 * Runs operations of this program on one context. They are not validated, since code generation has done so.
 * @throws the error that a resolver threw
 */
export function executor({ operations }: Graph, context: GraphContext): Execute {
  const answer = async (document: DocumentNode, variables: unknown): Promise<Planned> => {
    const operation = operations.of(document)
    const values = variables as Record<string, unknown>
    const planned = await operation.plan.run(context.reader, values)
    if (planned) return planned
    const { data, errors } = await operation.resolve(context, values)
    if (errors?.[0]) throw origin(errors[0])
    return { json: () => exactJson(data), parts: () => resolvedParts(document, data) }
  }
  const run = async <Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables) =>
    parseExact((await answer(document, variables)).json()) as Data
  const rows: Execute['rows'] = async (document, variables) => {
    const { data, rows } = (await answer(document, variables)).parts()
    return { data: parseExact(data) as never, rows }
  }
  return Object.assign(run, { rows })
}

/** The error that a resolver threw. An argument that GraphQL itself rejected becomes BAD_INPUT. */
function origin(error: GraphQLError): unknown {
  let cause: Error | undefined = error.originalError
  while (cause && 'originalError' in cause && cause.originalError instanceof Error) cause = cause.originalError
  return cause ?? (error.extensions.code === 'BAD_INPUT' ? new GatewayError('BAD_INPUT', error.message) : error)
}
