import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  type Source,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql'
import { refusal } from '../execution/errors.ts'
import { type CostOf, compileCost, type Variables } from './cost.ts'

/** How much one operation may ask for; null: as much as it likes. */
export interface Limits {
  depth: number | null
  aliases: number | null
  tokens: number | null
  cost: number | null
}

export const NO_LIMITS: Limits = { depth: null, aliases: null, tokens: null, cost: null }

/** What reads variables goes into them by calls of itself. */
const MAX_INPUT_DEPTH = 100

/** What an operation costs, and what is allowed. */
export interface Cost {
  requested: number
  allowed: number | null
}

/** Holds operations to the limits: a document when it is read, an operation with its variables before each execution. */
export class Limiter {
  readonly limits: Limits
  /** Validation rules: what depends on variables is none, for a document is validated once. */
  readonly rules: ValidationRule[]
  readonly #schema: GraphQLSchema
  readonly #costs = new WeakMap<DocumentNode, Map<string, CostOf>>()

  constructor(schema: GraphQLSchema, limits: Limits = NO_LIMITS) {
    this.#schema = schema
    this.limits = limits
    this.rules = rulesOf(limits)
  }

  /** @throws GraphQLError for what is no document, or has too many tokens */
  parse(text: string | Source): DocumentNode {
    const { tokens } = this.limits
    try {
      return parse(text, tokens === null ? {} : { maxTokens: tokens })
    } catch (error) {
      if (tokens !== null && /tokens\. Parsing aborted/.test(String(error)))
        throw refusal(
          'TOKEN_LIMIT_EXCEEDED',
          `The document has more than ${shown(tokens)} tokens (names, braces, values), which is what is allowed. Split it into several requests, and give values as variables.`,
        )
      if (error instanceof RangeError) throw refusal('DEPTH_LIMIT_EXCEEDED', 'The document is nested too deeply.')
      throw error
    }
  }

  validate(document: DocumentNode): readonly GraphQLError[] {
    return validate(this.#schema, document, [...specifiedRules, ...this.rules])
  }

  /** @throws BAD_INPUT for variables that are nested deeper than any input is */
  assertFlat(variables: unknown): void {
    let level = [variables]
    for (let depth = 0; level.length > 0; depth++) {
      if (depth > MAX_INPUT_DEPTH)
        throw new GraphQLError(`The variables are nested more than ${MAX_INPUT_DEPTH} levels deep: no input is.`, {
          extensions: { code: 'BAD_INPUT' },
        })
      level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
    }
  }

  /** Why a document can never be executed; undefined: it can, with variables that cost no more than is allowed. */
  faultOf(text: string): string | undefined {
    try {
      return this.validate(this.parse(text))[0]?.message
    } catch (error) {
      return (error as Error).message
    }
  }

  /** The cost of an operation of a valid document; undefined: the document has no such operation. */
  cost(document: DocumentNode, operationName: string | null | undefined, variables: Variables): Cost | undefined {
    let costs = this.#costs.get(document)
    if (!costs) {
      costs = new Map()
      this.#costs.set(document, costs)
    }
    let costOf = costs.get(operationName ?? '')
    if (!costOf) {
      costOf = compileCost(this.#schema, document, operationName)
      if (!costOf) return undefined
      costs.set(operationName ?? '', costOf)
    }
    return { requested: costOf(variables), allowed: this.limits.cost }
  }

  /** Whether an operation of a valid document may be executed with its variables. */
  allows(document: DocumentNode, operationName: string | null | undefined, variables: Variables): boolean {
    const allowed = this.limits.cost
    return allowed === null || (this.cost(document, operationName, variables)?.requested ?? 0) <= allowed
  }

  /** @throws COST_LIMIT_EXCEEDED unless the operation may be executed with its variables */
  assertAllowed(document: DocumentNode, operationName: string | null | undefined, variables: Variables): void {
    if (this.allows(document, operationName, variables)) return
    const { requested, allowed } = this.cost(document, operationName, variables) as {
      requested: number
      allowed: number
    }
    const what = Number.isFinite(requested) ? `costs ${shown(requested)}` : 'costs more than can be told'
    throw refusal(
      'COST_LIMIT_EXCEEDED',
      `The operation ${what}, at most ${shown(allowed)} is allowed: each object counts as often as the pages of the lists around it have rows. Ask for fewer rows with first: or last: (a page has 100 when left out), nest fewer lists, or split it into several requests.`,
      { cost: { requested: Number.isFinite(requested) ? requested : null, allowed } },
    )
  }
}

function rulesOf({ depth, aliases }: Limits): ValidationRule[] {
  const options = { propagateOnRejection: false, exposeLimits: true }
  const rules: ValidationRule[] = []
  if (depth !== null) {
    const message = (found: string) =>
      `The operation is nested ${found} levels deep, at most ${depth} are allowed. Ask for what is below in another request.`
    rules.push(
      maxDepthRule({
        ...options,
        n: depth,
        flattenFragments: true,
        onReject: [report('DEPTH_LIMIT_EXCEEDED', message)],
      }),
    )
  }
  if (aliases !== null) {
    const message = (found: string) =>
      `The operation has ${found} aliases, at most ${aliases} are allowed. Ask for many at once (such as users(addresses:)), or split it into several requests.`
    rules.push(maxAliasesRule({ ...options, n: aliases, onReject: [report('ALIAS_LIMIT_EXCEEDED', message)] }))
  }
  return rules
}

/** Tells in our words what a rule of the library has found, which it says as "found 12". */
function report(code: 'DEPTH_LIMIT_EXCEEDED' | 'ALIAS_LIMIT_EXCEEDED', message: (found: string) => string) {
  return (context: Parameters<ValidationRule>[0] | null, { message: theirs }: GraphQLError) =>
    context?.reportError(refusal(code, message(/found (\d+)/.exec(theirs)?.[1] ?? 'too many')))
}

const shown = (number: number) => number.toLocaleString('en-US')
