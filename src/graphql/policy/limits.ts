import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  type Location,
  parse,
  type Source,
  specifiedRules,
  validate,
  visit,
} from 'graphql'
import { refusal } from '../execution/errors.ts'
import { DocumentMeter } from './document-size.ts'
import type { Variables } from './documents.ts'
import { withoutIgnoredArguments } from './ignored-arguments.ts'
import { compileCost, type Figure, figureOf } from './operation-cost.ts'

/** The limits on one operation. Null means no limit. */
export interface Limits {
  depth: number | null
  aliases: number | null
  tokens: number | null
  cost: number | null
}

export const NO_LIMITS: Limits = { depth: null, aliases: null, tokens: null, cost: null }

const RULES = [...specifiedRules, withoutIgnoredArguments]

const MAX_SPREAD = 5000
// The maximum selections of one key in one selection set, as all are compared with each other.
const MAX_REPEATED = 50
const MAX_NAME = 256
// The introspection of a typical client has about 17,000.
const MAX_INTROSPECTED = 25_000

const TOKEN_BYTES = 220
// The memory of a selection's share of one plan and its cost, or of one statement.
const SELECTION_BYTES = 850

// Variables are read recursively.
const MAX_INPUT_DEPTH = 100
// A list takes a thousand values.
const MAX_VALUES = 20_000
// Of each object, every field of its input type is looked at. A filter takes fifty.
const MAX_OBJECTS = 1000

export interface Cost {
  requested: number
  allowed: number | null
}

interface Costed {
  document: DocumentNode
  operationName?: string | undefined
}

/**
 * Charges a client what an operation costs.
 * @returns undefined, or a message that says why it is rejected
 */
export type ChargeOperation = (cost: number) => Promise<string | undefined>

/**
 * Enforces limits: on a document when it is parsed, and on an operation with its variables before
 * each execution.
 */
export class Limiter {
  readonly limits: Limits
  readonly #schema: GraphQLSchema
  readonly #meter: DocumentMeter
  readonly #costs = new WeakMap<Costed, Figure>()

  constructor(schema: GraphQLSchema, limits: Limits = NO_LIMITS) {
    this.#schema = schema
    this.#meter = new DocumentMeter(schema)
    this.limits = limits
  }

  /** Parses a document. @throws GraphQLError if it is invalid or too large */
  parse(text: string | Source): DocumentNode {
    const { tokens } = this.limits
    try {
      const document = parse(text, tokens === null ? {} : { maxTokens: tokens })
      this.#assertSize(document)
      dropTokens(document)
      return document
    } catch (error) {
      if (tokens !== null && /tokens\. Parsing aborted/.test(String(error)))
        throw refusal(
          'TOKEN_LIMIT_EXCEEDED',
          `The document has more than ${figure(tokens)} tokens (names, braces, values), the ` +
            'limit. Split it into several requests, and give values as variables.',
        )
      if (error instanceof RangeError)
        throw refusal('DEPTH_LIMIT_EXCEEDED', 'The document is nested too deeply.')
      if (error instanceof GraphQLError) error.extensions.code ??= 'GRAPHQL_PARSE_FAILED'
      throw error
    }
  }

  /**
   * The approximate memory of a document, and of each plan or statement that is prepared for it.
   */
  bytesOf(document: DocumentNode): { document: number; prepared: number } {
    const { written, expanded } = this.#meter.measure(document)
    const characters = document.loc?.source.body.length ?? 0
    return {
      document: 2 * characters + (document.tokenCount ?? written) * TOKEN_BYTES,
      prepared: expanded * SELECTION_BYTES,
    }
  }

  // Checks the size before anything else, since other checks expand fragments and compare pairs of
  // fields.
  #assertSize(document: DocumentNode): void {
    const { written, expanded, repeated, longest } = this.#meter.measure(document)
    if (expanded - written > MAX_SPREAD)
      throw refusal(
        'SELECTION_LIMIT_EXCEEDED',
        `The document's fragments add ` +
          `${Number.isFinite(expanded) ? figure(expanded - written) : 'countless'} selections to ` +
          'those that are written, counted wherever they are spread; at most ' +
          `${figure(MAX_SPREAD)} are allowed. Spread fewer fragments, or split it into several ` +
          'requests.',
      )
    if (repeated > MAX_REPEATED)
      throw refusal(
        'SELECTION_LIMIT_EXCEEDED',
        `The document selects one field ${figure(repeated)} times in the same selection set, ` +
          `at most ${figure(MAX_REPEATED)} are allowed. Select it once.`,
      )
    if (longest > MAX_NAME)
      throw refusal(
        'SELECTION_LIMIT_EXCEEDED',
        `The document has a field or an alias of ${figure(longest)} characters, at most ` +
          `${figure(MAX_NAME)} are allowed: each row of an answer repeats them.`,
      )
  }

  validate(document: DocumentNode): readonly GraphQLError[] {
    const errors = [...validate(this.#schema, document, RULES), ...this.#excesses(document)]
    for (const { extensions } of errors) extensions.code ??= 'GRAPHQL_VALIDATION_FAILED'
    return errors
  }

  // None of them depends on variables, as a document is validated once.
  #excesses(document: DocumentNode): GraphQLError[] {
    const { depth, aliases, introspected } = this.#meter.measure(document)
    const { limits } = this
    const excesses: GraphQLError[] = []
    if (limits.depth !== null && depth > limits.depth)
      excesses.push(
        refusal(
          'DEPTH_LIMIT_EXCEEDED',
          `The operation is nested ${depth} levels deep, at most ${limits.depth} are allowed. ` +
            'Ask for what is below in another request.',
        ),
      )
    if (limits.aliases !== null && aliases > limits.aliases)
      excesses.push(
        refusal(
          'ALIAS_LIMIT_EXCEEDED',
          `The operation has ${aliases} aliases, at most ${limits.aliases} are allowed. Ask for ` +
            'many at once (such as lookupUsers(addresses:)), or split it into several requests.',
        ),
      )
    if (limits.cost !== null && introspected > MAX_INTROSPECTED)
      excesses.push(
        refusal(
          'COST_LIMIT_EXCEEDED',
          `The document asks for about ${figure(Math.ceil(introspected))} fields of the schema's ` +
            `description, at most ${figure(MAX_INTROSPECTED)} are allowed. Ask for __schema ` +
            'once, without aliases.',
        ),
      )
    return excesses
  }

  assertReadable(variables: unknown): void {
    const fault = this.variablesFault(variables)
    if (fault !== undefined) throw new GraphQLError(fault, { extensions: { code: 'BAD_INPUT' } })
  }

  /** Says why variables are rejected before they are read. Undefined if they are accepted. */
  variablesFault(variables: unknown): string | undefined {
    const waiting: [value: unknown, depth: number][] = [[variables, 0]]
    let values = 0
    let objects = 0
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [value, depth] = next
      if (typeof value !== 'object' || value === null) continue
      if (depth > MAX_INPUT_DEPTH)
        return `The variables are nested more than ${MAX_INPUT_DEPTH} levels deep: no input is.`
      const list = Array.isArray(value)
      const inner = list ? value : Object.values(value)
      if (!list && ++objects > MAX_OBJECTS)
        return (
          `The variables hold more than ${figure(MAX_OBJECTS)} objects: no input takes so ` +
          'many. Send fewer at once.'
        )
      values += inner.length
      if (values > MAX_VALUES)
        return (
          `The variables hold more than ${figure(MAX_VALUES)} values: no input takes so ` +
          'many. Send fewer at once.'
        )
      for (const one of inner) waiting.push([one, depth + 1])
    }
    return undefined
  }

  /**
   * Says why a document can never be executed. Undefined if it can, with variables within the cost
   * limit.
   */
  faultOf(text: string): string | undefined {
    try {
      return this.validate(this.parse(text))[0]?.message
    } catch (error) {
      return (error as Error).message
    }
  }

  cost(operation: Costed, variables: Variables): Cost {
    let cost = this.#costs.get(operation)
    if (cost === undefined) {
      cost = compileCost(this.#schema, operation.document, operation.operationName) ?? 0
      this.#costs.set(operation, cost)
    }
    return {
      requested: figureOf(cost, variables),
      allowed: this.limits.cost,
    }
  }

  /** @returns the cost of an operation with its variables @throws COST_LIMIT_EXCEEDED */
  assertAllowed(operation: Costed, variables: Variables): number {
    const { requested, allowed } = this.cost(operation, variables)
    if (allowed === null || requested <= allowed) return requested
    const what = Number.isFinite(requested)
      ? `costs ${figure(requested)}`
      : 'costs too much to compute'
    throw refusal(
      'COST_LIMIT_EXCEEDED',
      `The operation ${what}, at most ${figure(allowed)} is allowed: each object counts as ` +
        'often as the pages of the lists around it have rows. Ask for fewer rows with first: or ' +
        'last: (a page has 100 when left out), nest fewer lists, or split it into several ' +
        'requests.',
      { cost: { requested: Number.isFinite(requested) ? requested : null, allowed } },
    )
  }
}

// Keeps a node's location without its tokens, which take more memory than all nodes.
function dropTokens(document: DocumentNode): void {
  visit(document, {
    enter(node) {
      const { start, end, source } = node.loc as Location
      Object.assign(node, { loc: { start, end, source } })
    },
  })
}

const figure = (number: number) => number.toLocaleString('en-US')
