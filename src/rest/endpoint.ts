import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { Rows } from 'pothos-sql'
import type { ZodObject, ZodType, z } from 'zod'

export type { Rows }

type OutputOf<S> = S extends ZodType ? z.output<S> : Record<string, never>

interface ParsedInput<Path, Query, Body> {
  path: OutputOf<Path>
  query: OutputOf<Query>
  body: OutputOf<Body>
}

export interface EndpointRequest<Path, Query, Body> extends ParsedInput<Path, Query, Body> {
  now(): Date
}

/** A request, and what its operation has read. */
export interface EndpointCall<Path, Query, Body, Data, Variables>
  extends ParsedInput<Path, Query, Body> {
  variables: Variables
  data: Data
  /** The data of each page of an endpoint with `pageInfo`. */
  pages: Data[]
  /** Of an endpoint with `hasRows`. There are none otherwise. */
  rows: Rows
}

/** The last of several rows. */
export const lastOf = <Row>({ last }: Rows): Row | undefined =>
  last === undefined ? undefined : (JSON.parse(last) as Row)

/**
 * Placeholder for the time of the request in a body with `timed`. No stored date looks like
 * it.
 */
export const REQUEST_TIME = '0000-00-00T00:00:00.000Z'

export interface EndpointAnswer<Body> {
  body: Body
  /**
   * Returns the part of the body's JSON that does not depend on the time of the request. Undefined
   * if the whole body does not.
   */
  timeless?: ((json: string) => string) | undefined
  /**
   * True if the body contains REQUEST_TIME, and otherwise does not depend on the time of the
   * request.
   */
  timed?: boolean
}

/**
 * A documented endpoint: its input, and how it turns the result of a GraphQL operation into an
 * answer.
 */
export interface Endpoint {
  operationId: string
  summary: string
  description: string
  path?: ZodObject
  query?: ZodObject
  body?: ZodType
  status: 200 | 201
  response: ZodType
  errors: Partial<Record<400 | 401 | 403 | 404 | 409 | 502 | 503, string>>
  /** The scope that it requires, if it writes. */
  admin: 'runs' | 'rules' | false
  /** The operation that provides every value of the answer. */
  operation: TypedDocumentNode<unknown, unknown>
  variables(request: EndpointRequest<ZodType, ZodType, ZodType>): object
  /**
   * True if the operation's only list is long. Its rows are copied as JSON into the empty list with
   * which the body begins. They are flat: objects within a row are merged into it, dates are
   * midnight UTC, and decimals are numbers.
   */
  hasRows: boolean
  /** The page of the operation's list, of which all pages are read. */
  pageInfo?(data: unknown): PageInfo
  answer(call: EndpointCall<ZodType, ZodType, ZodType, unknown, unknown>): EndpointAnswer<unknown>
}

export interface PageInfo {
  hasNextPage: boolean
  endCursor?: string | null
}

interface Definition<Path, Query, Body, Response extends ZodType, Data, Variables> {
  operationId: string
  summary: string
  description: string
  path?: Path
  query?: Query
  body?: Body
  status?: 200 | 201
  response: Response
  errors?: Endpoint['errors']
  admin?: 'runs' | 'rules'
  operation: TypedDocumentNode<Data, Variables>
  variables(request: EndpointRequest<Path, Query, Body>): NoInfer<Variables>
  hasRows?: boolean
  pageInfo?(data: NoInfer<Data>): PageInfo
  answer(
    call: EndpointCall<Path, Query, Body, NoInfer<Data>, NoInfer<Variables>>,
  ): EndpointAnswer<z.input<Response>>
}

/** Defines an endpoint, with input and answer typed by its schemas. */
export function endpoint<
  Response extends ZodType,
  Data,
  Variables,
  Path extends ZodObject | undefined = undefined,
  Query extends ZodObject | undefined = undefined,
  Body extends ZodType | undefined = undefined,
>(definition: Definition<Path, Query, Body, Response, Data, Variables>): Endpoint {
  const { status = 200, errors = {}, admin = false, hasRows = false } = definition
  return { ...definition, status, errors, admin, hasRows } as Endpoint
}
