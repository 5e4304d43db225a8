import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { ZodObject, ZodType, z } from 'zod'
import type { Execute } from '../graphql/execution/execute.ts'

type Input<S> = S extends ZodType ? z.output<S> : Record<string, never>

export interface Request<Path, Query, Body> {
  path: Input<Path>
  query: Input<Query>
  body: Input<Body>
  /** The time of the request. */
  now: Date
}

export interface Call<Path, Query, Body, Variables> extends Request<Path, Query, Body> {
  /** Those of the endpoint's operation. */
  variables: Variables
  execute: Execute
}

export interface Answer<Body> {
  body: Body
  /** The part that does not depend on the time of the request, where not all of the answer is. */
  timeless?: unknown
  /** Whether REQUEST_TIME is in the body: the rest of it does not depend on the time. */
  timed?: boolean
}

/** One documented endpoint: what it takes, and how its answer is made of a GraphQL operation. It knows nothing of the store. */
export interface Endpoint {
  operationId: string
  summary: string
  description: string
  path?: ZodObject
  query?: ZodObject
  /** A JSON body; left out, the body is not read. */
  body?: ZodType
  status: 200 | 201
  response: ZodType
  /** The statuses that it answers beyond its own, with what they mean. */
  errors: Partial<Record<400 | 401 | 403 | 404 | 409 | 502 | 503, string>>
  /** Needs the admin token, and changes the store. */
  admin: boolean
  /** What it executes: the data of this operation holds every value of the answer. */
  operation: TypedDocumentNode<unknown, unknown>
  variables(request: Request<ZodType, ZodType, ZodType>): object
  answer(call: Call<ZodType, ZodType, ZodType, unknown>): Promise<Answer<unknown>>
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
  admin?: boolean
  operation: TypedDocumentNode<Data, Variables>
  variables(request: Request<Path, Query, Body>): NoInfer<Variables>
  answer(call: Call<Path, Query, Body, NoInfer<Variables>>): Promise<Answer<z.input<Response>>>
}

/** An endpoint, its input and answer typed by its schemas. */
export function endpoint<
  Response extends ZodType,
  Data,
  Variables,
  Path extends ZodObject | undefined = undefined,
  Query extends ZodObject | undefined = undefined,
  Body extends ZodType | undefined = undefined,
>(definition: Definition<Path, Query, Body, Response, Data, Variables>): Endpoint {
  const { status = 200, errors = {}, admin = false } = definition
  return { ...definition, status, errors, admin } as Endpoint
}
