import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql'

// How long all operations together may hold the event loop before others have their turn.
const TURN_MS = 10
// How many values of an operation are released before those of the next operation.
const RELEASED = 4
// More are not kept: removing each would move all others.
const MOST_RELEASED = 10_000
// Shorter lists are completed at once.
const SHORT_LIST = 20

// When the operations began to work in this iteration of the event loop. Undefined if none has.
let since: number | undefined
// The operations that wait for their turn.
const waiting: Turns[] = []
let resuming = false

function isDue(): boolean {
  const now = performance.now()
  if (since === undefined) {
    since = now
    setImmediate(begin)
  }
  return now - since > TURN_MS
}

function begin(): void {
  since = undefined
  if (waiting.length > 0) start()
}

function start(): void {
  if (resuming || isDue()) return
  resuming = true
  process.nextTick(resume)
}

// Calls `work` after all that has been released has run as far as it can.
function afterPromises(work: () => void): void {
  queueMicrotask(() => process.nextTick(work))
}

async function resume(): Promise<void> {
  while (!isDue()) {
    const turns = waiting.shift()
    if (!turns) break
    turns.release()
    await new Promise<void>(afterPromises)
    if (turns.goesOn()) waiting.push(turns)
  }
  resuming = false
}

/**
 * Splits the work of one operation, so that no answer holds the event loop for long. Operations
 * that have much to do take turns.
 */
export class Turns {
  readonly #isOver: () => boolean
  #waiting: (() => void)[] = []
  // How many of those at the front are released already.
  #released = 0
  #idle: (() => void)[] = []
  #isQueued = false

  // `isOver`: true if the work must stop: what waits is then dropped and never settles
  constructor(isOver = () => false) {
    this.#isOver = isOver
  }

  /** Resolves when the work may go on. Undefined if it may do so at once. */
  next(): Promise<void> | undefined {
    return isDue() ? this.wait() : undefined
  }

  /** Resolves after what already waits. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#isQueued) return
      this.#isQueued = true
      waiting.push(this)
      start()
    })
  }

  /** Calls `work` once no value waits for a turn, so that the keys of a batch come together. */
  whenIdle(work: () => void): void {
    afterPromises(() => {
      if (this.#isQueued) this.#idle.push(work)
      else work()
    })
  }

  release(): void {
    if (this.#isOver()) {
      this.#waiting = []
      this.#released = 0
      this.#idle = []
    }
    const end = Math.min(this.#released + RELEASED, this.#waiting.length)
    while (this.#released < end) this.#waiting[this.#released++]?.()
    if (this.#released < this.#waiting.length && this.#released < MOST_RELEASED) return
    this.#waiting = this.#waiting.slice(this.#released)
    this.#released = 0
  }

  /** Returns whether values still wait. If not, the work that waited for that begins. */
  goesOn(): boolean {
    this.#isQueued = this.#waiting.length > 0
    if (!this.#isQueued) for (const work of this.#idle.splice(0)) work()
    return this.#isQueued
  }
}

interface InTurns {
  turns?: Turns
}

/**
 * Makes the resolvers of a schema take turns: before a value that was awaited is completed, and
 * between the rows of a list.
 */
export function resolveInTurns(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      if (field.extensions[IN_TURNS]) continue
      field.resolve = inTurns(field.resolve, isListOfObjects(field.type))
      // The types of introspection are the same in all schemas.
      field.extensions = { ...field.extensions, [IN_TURNS]: true }
    }
  }
  return schema
}

const IN_TURNS = 'inTurns'

const isListOfObjects = (type: GraphQLOutputType) =>
  isListType(getNullableType(type)) && isCompositeType(getNamedType(type))

function inTurns(
  resolve: GraphQLFieldResolver<unknown, unknown> = defaultFieldResolver,
  isList: boolean,
): GraphQLFieldResolver<unknown, unknown> {
  return (source, args, context, info) => {
    const value = resolve(source, args, context, info)
    const turns = (context as InTurns | undefined)?.turns
    if (!turns) return value
    const complete = (one: unknown) => (isList ? rowsInTurns(one, turns) : one)
    if (!isPromise(value)) return complete(value)
    return value.then(
      (one) => turns.next()?.then(() => complete(one)) ?? complete(one),
      async (error) => {
        await turns.next()
        throw error
      },
    )
  }
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as Promise<unknown> | undefined)?.then === 'function'

// The rows of a long list as promises, so that GraphQL completes them in turn.
function rowsInTurns(value: unknown, turns: Turns): unknown {
  if (!Array.isArray(value) || value.length <= SHORT_LIST) return value
  return value.map((row) => turns.wait().then(() => row))
}
