/**
 * Before anything is timed: every system says what the product says, and how many SQL statements it
 * needs for it.
 */
import { difference, differenceOfShared } from './compare.ts'
import { documentId, type Operation, type Request } from './operations.ts'
import { isFrame, type Statement } from './statements.ts'

export interface Checked {
  /** Why it is not timed; undefined: it is. */
  wrong?: string
  /**
   * SQL statements of a request, at least and at most, without those that begin and end a
   * transaction.
   */
  statements?: [least: number, most: number]
  /** Those that begin and end a transaction. */
  frames?: number
}

export interface Target {
  port: number
  /** The statements since the last call. */
  take(): Statement[]
}

export interface Answer {
  text: string
  etag: string
}

/** Waits until a server has ended its work of the start. */
export async function quiet({ take }: Pick<Target, 'take'>): Promise<void> {
  for (let waited = 0; waited < 60 && (waited === 0 || take().length > 0); waited++) {
    take()
    await new Promise((resolve) => setTimeout(resolve, 2000))
  }
}

export async function answerFrom(port: number, { path, body }: Request): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok || text.startsWith('{"errors"'))
    throw new Error(`${path} answered ${response.status}: ${text}`)
  return { text, etag: response.headers.get('etag') ?? '' }
}

async function watched(
  target: Target,
  request: Request,
): Promise<{ text: string; sent: Statement[] }> {
  target.take()
  const { text } = await answerFrom(target.port, request)
  return { text, sent: target.take() }
}

const RECOUNTS = 3
const readsOf = (sent: Statement[]) => sent.filter((one) => !isFrame(one)).length

/**
 * Sends one system every variant, one after another; the first once before.
 * @returns its answers, and what it sent to Postgres for them
 */
async function answersOf(
  target: Target,
  requests: Request[],
): Promise<{ answers: unknown[]; checked: Checked }> {
  const answers: unknown[] = []
  const counts: number[] = []
  let frames = 0
  try {
    if (requests[0]) await answerFrom(target.port, requests[0])
    for (const request of requests) {
      const { text, sent } = await watched(target, request)
      answers.push(JSON.parse(text))
      const first = readsOf(sent)
      let reads = first
      // A server may work in the background meanwhile: what is more than the least is counted
      // again.
      const least = counts.length === 0 ? 1 : Math.min(...counts)
      for (let again = 0; reads > least && again < RECOUNTS; again++)
        reads = Math.min(reads, readsOf((await watched(target, request)).sent))
      counts.push(reads)
      frames = Math.max(frames, sent.length - first)
    }
  } catch (error) {
    return { answers, checked: { wrong: (error as Error).message.slice(0, 1000) } }
  }
  return { answers, checked: { statements: [Math.min(...counts), Math.max(...counts)], frames } }
}

export type System = 'product' | 'known' | 'floor' | 'postgraphile'

/** Each system's request for an operation. Undefined if it has none. */
export function requestsOf(operation: Operation, system: System): Request[] | undefined {
  const { variants, postgraphile } = operation
  if (system === 'floor') return variants.map(operation.floor)
  if (system === 'postgraphile') return postgraphile && variants.map(postgraphile)
  const requests = variants.map(operation.product)
  if (system === 'product') return requests
  return operation.kind === 'graphql' ? requests.map(knownForm) : undefined
}

/** Checks an operation on all systems, the product among them. */
export async function check(
  operation: Operation,
  targets: Partial<Record<System, Target>>,
): Promise<Partial<Record<System, Checked>>> {
  const asked: { system: System; answers?: unknown[]; checked?: Checked }[] = []
  // One after another: two of them may be one server, whose statements are counted.
  for (const [system, target] of Object.entries(targets) as [System, Target][]) {
    const requests = requestsOf(operation, system)
    asked.push({ system, ...(requests && (await answersOf(target, requests))) })
  }
  const expected = asked.find(({ system }) => system === 'product')?.answers ?? []
  const results: Partial<Record<System, Checked>> = {}
  for (const { system, answers, checked } of asked) {
    if (!checked) continue
    results[system] = checked
    const compare = system === 'postgraphile' ? differenceOfShared : difference
    for (const [i, answer] of (answers ?? []).entries()) {
      const wrong = checked.wrong === undefined ? compare(expected[i], answer) : undefined
      if (wrong !== undefined) checked.wrong = `variant ${i}, ${wrong}`
    }
  }
  return results
}

/** True if the product answers trusted documents. */
export async function knowsDocuments(port: number, operations: Operation[]): Promise<boolean> {
  const [request] = operations.flatMap((operation) => requestsOf(operation, 'known') ?? [])
  if (!request) return false
  return answerFrom(port, request).then(
    () => true,
    () => false,
  )
}

/** A trusted document by its hash: the request carries no text. */
function knownForm({ path, body }: Request): Request {
  const { query, variables } = body as { query: string; variables: object }
  return { path, body: { documentId: documentId(query), variables } }
}
