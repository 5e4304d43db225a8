import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import { Plan } from 'pothos-sql'
import {
  type Fragments,
  fieldsOf,
  fragmentsOf,
  HOLE,
  type SwitchValues,
  Variants,
} from 'pothos-sql/host'
import type { Variables } from '../policy/documents.ts'

/** A query in two parts: root fields that have a plan, and the islands, which resolvers read. */
export interface SplitQuery<Resolve> {
  /** Reads the first part. Its answer has a HOLE in the place of each island. */
  plan: Plan
  islands: string[]
  resolve: Resolve
}

/** Splits a query that has no plan as a whole. */
export class Islands<Resolve> {
  readonly #schema: GraphQLSchema
  readonly #document: DocumentNode
  readonly #operation: OperationDefinitionNode
  readonly #resolver: (document: DocumentNode) => Resolve
  readonly #fragments: Fragments
  readonly #parts: Variants<SplitQuery<Resolve> | null>

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    resolver: (document: DocumentNode) => Resolve,
  ) {
    this.#schema = schema
    this.#document = document
    this.#operation = operation
    this.#resolver = resolver
    this.#fragments = fragmentsOf(document)
    this.#parts = new Variants(document)
  }

  get size(): number {
    let size = 0
    for (const parts of this.#parts.values()) size += parts?.plan.size ?? 0
    return size
  }

  /**
   * The parts of the query with these values of its variables. Undefined if no root field has a
   * plan.
   */
  of(coerced: Variables): SplitQuery<Resolve> | undefined {
    return this.#parts.of(coerced, (conditions) => this.#split(conditions)) ?? undefined
  }

  #split(conditions: SwitchValues): SplitQuery<Resolve> | null {
    const type = this.#schema.getQueryType() as GraphQLObjectType
    const on = { type, schema: this.#schema }
    const fields = fieldsOf([this.#operation.selectionSet], this.#fragments, {
      conditions,
      on,
    })
    const islands = [...fields]
      .filter(([, nodes]) => !this.#plan(nodes).covers(conditions))
      .map(([key]) => key)
    const holes = new Set(islands)
    const isTypename = (key: string) => fields.get(key)?.[0]?.name.value === '__typename'
    if ([...fields.keys()].every((key) => holes.has(key) || isTypename(key))) return null
    const plan = this.#plan(
      [...fields].flatMap(([key, nodes]) => (holes.has(key) ? typenameAs(key) : nodes)),
      holes,
    )
    if (!plan.covers(conditions)) return null
    const document = this.#documentOf(islands.flatMap((key) => fields.get(key) ?? []))
    return { plan, islands, resolve: this.#resolver(document) }
  }

  #plan(nodes: readonly FieldNode[], holes?: ReadonlySet<string>): Plan {
    const used = variablesIn(nodes, this.#fragments)
    const variableDefinitions = this.#operation.variableDefinitions?.filter(({ variable }) =>
      used.has(variable.name.value),
    )
    return new Plan(
      this.#schema,
      this.#documentOf(nodes, { variableDefinitions }),
      this.#operation.name?.value,
      {
        holes,
      },
    )
  }

  #documentOf(
    selections: readonly FieldNode[],
    more: Partial<OperationDefinitionNode> = {},
  ): DocumentNode {
    const selectionSet = { kind: Kind.SELECTION_SET, selections } as const
    const operation = { ...this.#operation, ...more, selectionSet }
    const others = this.#document.definitions.filter(
      ({ kind }) => kind === Kind.FRAGMENT_DEFINITION,
    )
    return { ...this.#document, definitions: [operation, ...others] }
  }
}

const typenameAs = (key: string): FieldNode => ({
  kind: Kind.FIELD,
  alias: { kind: Kind.NAME, value: key },
  name: { kind: Kind.NAME, value: '__typename' },
})

function variablesIn(nodes: readonly FieldNode[], fragments: Fragments): Set<string> {
  const names = new Set<string>()
  const spread = new Set<string>()
  const collect = (node: ASTNode): void => {
    visit(node, {
      [Kind.VARIABLE]: ({ name }) => void names.add(name.value),
      [Kind.FRAGMENT_SPREAD]({ name: { value: name } }) {
        const fragment = fragments[name]
        if (!fragment || spread.has(name)) return
        spread.add(name)
        collect(fragment)
      },
    })
  }
  for (const node of nodes) collect(node)
  return names
}

/** Puts the JSON of islands into the holes of an answer. */
export function fillHoles(json: string, islands: readonly string[]): string {
  const [first, ...rest] = json.split(HOLE)
  return rest.reduce((filled, part, i) => filled + islands[i] + part, first as string)
}
