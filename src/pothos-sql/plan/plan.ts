import { type DocumentNode, type GraphQLSchema, getOperationAST } from 'graphql'
import { hasCode } from '../errors.ts'
import type { Reader } from '../reader.ts'
import { fragmentsOf, type SwitchValues, Variants } from '../selection.ts'
import { readVariables } from '../variables.ts'
import type { Answer } from './answer.ts'
import { compile } from './compile.ts'
import { type Form, shape } from './form.ts'
import { areOfLists, type Cursor, type Cursors, type Inputs, Parameters } from './parameters.ts'
import { type List, Unplanned } from './piece.ts'
import { placeOf } from './place.ts'
import { type Fill, filler, isSame, standIns } from './stand-ins.ts'
import { nothingStored, once, type PlannedStatement, ReadsFirst, Variant } from './variant.ts'

// Cached statements per query: one for each combination of page size, filter and so on.
const MAX_STATEMENTS = 8

/**
 * Answers a query with one SQL statement and no resolvers: the selection is read as text and
 * assembled into JSON. The schema declares the SQL of its fields (sql-field.ts). A query that
 * selects a field without SQL has no plan.
 *
 * compile.ts turns the selection into pieces, layout.ts names the columns that they need,
 * statement.ts builds the SQL, and write.ts writes the JSON. Requests that differ only in
 * addresses, dates, numbers or cursors, alone, in lists or in filters, share a cached statement
 * (parameters.ts).
 */
export class Plan {
  readonly #schema: GraphQLSchema
  readonly #document: DocumentNode
  readonly #operationName: string | undefined
  readonly #variants: Variants<Variant | Unplanned>
  readonly #parameters: Parameters
  // By the variables that shape them. Undefined if the statement was built once.
  readonly #statements = new Map<string, Cached | undefined>()
  // The variables whose statement must be built for each request.
  readonly #uncacheable = new Set<string>()
  // By the variables of a request, which are coerced once.
  readonly #coercions = new WeakMap<object, { coerced: Record<string, unknown> | undefined }>()
  readonly #form: Form

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operationName?: string,
    form: Form = {},
  ) {
    this.#schema = schema
    this.#document = document
    this.#operationName = operationName
    this.#form = form
    this.#variants = new Variants(document)
    this.#parameters = new Parameters(schema, document, this.#definitions())
  }

  get size(): number {
    return this.#variants.size + this.#statements.size
  }

  /**
   * Runs the query.
   * @returns undefined if it has no plan or its variables are invalid: resolvers must then execute
   * it
   * @throws BAD_INPUT if an argument is invalid, or a GraphQLError with its place if the store
   * was read to find out
   * @throws NO_JSON
   */
  run(reader: Reader, variables: Record<string, unknown> = {}): Promise<Answer | undefined> {
    let inputs = this.#parameters.read(variables)
    if (!inputs || this.#uncacheable.has(inputs.key))
      inputs = this.#parameters.read(variables, 'exact')
    const cached = inputs && this.#statements.get(inputs.key)
    if (inputs && cached && areOfLists(inputs, cached.statement.cursors)) {
      const { variant, statement, fill, ofRequest } = cached
      const own = ofRequest?.(variables, inputs)
      if (own !== null)
        return variant.read(reader, { ...statement, ...own, values: fill(inputs.values) })
    }
    const isNew = inputs && !cached && !this.#uncacheable.has(inputs.key)
    return this.#runNew(reader, variables, isNew ? inputs : undefined)
  }

  /** Runs the query with a statement that is built for these variables, or from now on cached. */
  async #runNew(
    reader: Reader,
    variables: Record<string, unknown>,
    inputs: Inputs | undefined,
  ): Promise<Answer | undefined> {
    if (inputs) {
      const { key } = inputs
      const isKnown = this.#statements.has(key)
      const cached = isKnown ? await this.#cacheable(variables, inputs, reader) : undefined
      if (cached === null) {
        this.#statements.delete(key)
        if (this.#uncacheable.size >= MAX_STATEMENTS) this.#uncacheable.clear()
        this.#uncacheable.add(key)
      } else {
        if (!isKnown && this.#statements.size >= MAX_STATEMENTS) this.#statements.clear()
        this.#statements.set(key, cached)
      }
      if (cached !== undefined) return this.run(reader, variables)
    }
    const coerced = this.coerced(variables)
    const variant = coerced && this.#variant(coerced)
    if (!variant) return undefined
    try {
      return variant.read(reader, await variant.statement(nothingStored(reader), coerced))
    } catch (error) {
      if (!(error instanceof ReadsFirst)) throw error
    }
    // Its arguments mean something that is stored: that is read from the same snapshot.
    return reader.snapshot(async (reader) =>
      variant.read(
        reader,
        await variant.statement(reader, coerced, (error, list) => variant.placed(error, list)),
      ),
    )
  }

  /**
   * Builds the statement to cache for these variables. Null if it depends on their values or on
   * stored data, undefined if a cursor among them is not valid.
   */
  async #cacheable(
    variables: Record<string, unknown>,
    inputs: Inputs,
    reader: Reader,
  ): Promise<Cached | null | undefined> {
    const build = async (variables: Record<string, unknown>) => {
      const coerced = this.coerced(variables)
      const variant = coerced && this.#variant(coerced)
      return variant
        ? { variant, statement: await variant.statement(nothingStored(reader), coerced) }
        : undefined
    }
    const hasCursor = inputs.kinds.some((kind) => typeof kind === 'object')
    const real = hasCursor
      ? await build(variables).catch((error) => (hasCode(error) ? undefined : null))
      : undefined
    if (hasCursor && !real) return real as null | undefined
    const cursors: Cursors = real?.statement.cursors ?? new Map()
    const buildWith = (values: string[]) => {
      const replaced = this.#parameters.replaced(variables, inputs, values)
      const lists = real?.variant.cursorNames(this.coerced(replaced) ?? {})
      return build(lists ? this.#parameters.replaced(variables, inputs, values, lists) : replaced)
    }
    try {
      const ascending = standIns(inputs, cursors, 1)
      const built = await buildWith(ascending)
      if (!built) return null
      const { variant } = built
      const { text, values, source, assertStart } = built.statement
      const fill = filler(values, ascending, inputs)
      // Values that are more than that, such as in the digest of a filter, or whose order matters,
      // make another statement.
      const descending = standIns(inputs, cursors, -1)
      const other = (await buildWith(descending))?.statement
      if (!fill || text !== other?.text || !isSame(fill(descending), other.values)) return null
      const isNamed = source.name() === other.source.name()
      if (!isNamed && !variant.isNamedByArguments) return null
      const named = new Map<string, Cursor>()
      for (const [variable, { types, name }] of built.statement.cursors)
        named.set(variable, {
          types,
          name: name === other.cursors.get(variable)?.name ? name : undefined,
        })
      const statement = { ...built.statement, cursors: named, values: [] }
      const bound = [...named].filter(
        ([variable, { name }]) => inputs.lists.has(variable) && name === undefined,
      )
      if (isNamed && !assertStart && bound.length === 0) return { variant, statement, fill }
      const ofRequest: Cached['ofRequest'] = (variables, { lists }) => {
        const coerced = once(() => this.coerced(variables) ?? {})
        const names = bound.length > 0 ? variant.cursorNames(coerced()) : undefined
        if (bound.some(([variable]) => names?.get(variable) !== lists.get(variable))) return null
        return {
          ...(!isNamed && {
            source: { ...source, name: once(() => variant.nameFor(coerced(), names)) },
          }),
          ...(assertStart && {
            assertStart: async (reader) =>
              (await variant.statement(reader, coerced())).assertStart?.(reader),
          }),
        }
      }
      return { variant, statement, fill, ofRequest }
    } catch {
      // The error is reported when the statement is built with the request's real variables.
      return null
    }
  }

  #definitions() {
    return getOperationAST(this.#document, this.#operationName)?.variableDefinitions ?? []
  }

  /** The values of a request's variables. Undefined if they are invalid. */
  coerced(variables: Record<string, unknown>): Record<string, unknown> | undefined {
    let read = this.#coercions.get(variables)
    if (!read) {
      read = { coerced: readVariables(this.#schema, this.#definitions(), variables).coerced }
      this.#coercions.set(variables, read)
    }
    return read.coerced
  }

  /** Returns whether the query has a plan with these variables. */
  covers(variables: Record<string, unknown> = {}): boolean {
    return this.#variant(variables) !== undefined
  }

  /** Says why the query has no plan with these variables. Undefined if it has one. */
  refusal(variables: Record<string, unknown> = {}): string | undefined {
    const made = this.#made(variables)
    return made instanceof Unplanned ? made.message : undefined
  }

  #variant(variables: Record<string, unknown>): Variant | undefined {
    const made = this.#made(variables)
    return made instanceof Variant ? made : undefined
  }

  #made(variables: Record<string, unknown>): Variant | Unplanned {
    return this.#variants.of(variables, (conditions) => this.#make(conditions))
  }

  #make(conditions: SwitchValues): Variant | Unplanned {
    const operation = getOperationAST(this.#document, this.#operationName)
    if (!operation) return new Unplanned('no operation')
    const fragments = fragmentsOf(this.#document)
    try {
      const document = { schema: this.#schema, fragments, conditions }
      const compiled = compile(document, operation)
      shape(compiled, this.#form)
      const placeOfList = ({ field }: List) => placeOf(document, operation, field.node.name)
      return new Variant(compiled, this.#form.hasRows ?? false, placeOfList)
    } catch (error) {
      if (error instanceof Unplanned) return error
      throw error
    }
  }
}

interface Cached {
  variant: Variant
  statement: PlannedStatement
  fill: Fill
  /** The parts of it that are of one request. Null if a cursor is of another list. */
  ofRequest?(variables: Record<string, unknown>, inputs: Inputs): Partial<PlannedStatement> | null
}
