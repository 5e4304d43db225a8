import type { ZodError, ZodObject, ZodType } from 'zod'
import { GatewayError, type InputProblem } from '../../errors.ts'
import type { Endpoint } from '../../rest/endpoint.ts'

/**
 * Validates a request's input by its endpoint's schemas.
 * @throws BAD_INPUT that lists every invalid parameter
 */
export function readInput(endpoint: Endpoint, request: { params: unknown; query: unknown; body: unknown }) {
  const problems: InputProblem[] = []
  const read = (location: InputProblem['in'], schema: ZodType | undefined, value: unknown) => {
    if (!schema) return {}
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    problems.push(...parsed.error.issues.flatMap((issue) => problemsOf(location, issue)))
    return {}
  }
  const path = read('path', endpoint.path, request.params)
  const query = read('query', endpoint.query, withoutBrackets(request.query as Query, endpoint.query, problems))
  const body = endpoint.body ? read('body', endpoint.body, readJson(request.body)) : undefined
  if (problems.length === 0) return { path, query, body }
  const unique = [...new Map(problems.map((p) => [`${p.in} ${p.name}`, p])).values()]
  const detail = unique.map((p) => `${p.name || p.in} ${p.message}`).join('; ')
  throw new GatewayError('BAD_INPUT', `${detail}.`, unique)
}

type Query = Record<string, string | string[]>

/**
 * Normalizes query parameters: clients also write lists as `name[]` and `name[0]`. A parameter that takes one value
 * rejects such a list.
 */
function withoutBrackets(raw: Query, schema: ZodObject | undefined, problems: InputProblem[]): Query {
  const query: Query = {}
  for (const [key, value] of Object.entries(raw)) {
    const bracket = key.indexOf('[')
    const name = bracket < 0 ? key : key.slice(0, bracket)
    if (!schema || !Object.hasOwn(schema.shape, name)) continue
    if (bracket < 0 && query[name] === undefined) query[name] = value
    else if (bracket < 0 || /^\[\d*\]$/.test(key.slice(bracket))) query[name] = [query[name] ?? [], value].flat()
    else problems.push({ in: 'query', name, message: `has brackets that mean nothing: write ${name}` })
  }
  return query
}

type Issue = ZodError['issues'][number]

/** The problems of an issue. For a union, those of the alternative that matched furthest. */
function problemsOf(location: InputProblem['in'], issue: Issue, above: PropertyKey[] = []): InputProblem[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    const depth = (issues: Issue[]) => Math.max(0, ...issues.map((one) => one.path.length))
    const [best] = issue.errors.toSorted((a, b) => depth(b) - depth(a))
    if (best?.length) return best.flatMap((one) => problemsOf(location, one, path))
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ in: location, name: [...path, key].join('.'), message: 'is not a field of it' }))
  return [{ in: location, name: path.join('.'), message: issue.message }]
}

function readJson(body: unknown): unknown {
  if (!(body instanceof Uint8Array) || body.length === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new GatewayError('BAD_INPUT', 'The body must be JSON.', [{ in: 'body', name: '', message: 'must be JSON' }])
  }
}
