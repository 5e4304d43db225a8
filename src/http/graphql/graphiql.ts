import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Caller } from '../../db/connect/scope.ts'
import type { PageData } from '../../graphiql/page-data.ts'
import {
  type ExampleValues,
  exampleValuesOf,
  noValues,
  valuesOperation,
} from '../../graphql/example-values.ts'
import { examples } from '../../graphql/examples.ts'
import type { Graph } from '../../graphql/execution/graph.ts'
import type { EdgeCache } from '../cache/edge-cache.ts'
import { sendAnswer } from '../cache/send-answer.ts'
import { exchangeOf } from '../exchange.ts'
import { withBase, withIdentity } from '../page-text.ts'
import { mountStaticFiles } from '../static-files.ts'

const DIRECTORY = join(import.meta.dirname, 'graphiql')

// The page runs its own script, and talks to this gateway, and nothing else. GraphiQL's components
// add styles.
const HEADERS = [
  'content-security-policy',
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src " +
    "'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
]

const EMPTY =
  'The store is empty, so the examples have nothing to show. Load data, then reload this page:\n' +
  'npm start (the sample data)\nnpm run gateway -- import DIR (your own)'
const UNREACHABLE =
  'The store cannot be reached, so the examples name no records. Reload this page in a moment.'

/**
 * GraphiQL, with examples whose variables name records of the store. The page is cached until the
 * data changes.
 */
export function graphiqlPage(graph: Graph, edge: EdgeCache, config: Config) {
  let template: Promise<string> | undefined
  const render = async (values: ExampleValues | undefined, notice: string) => {
    template ??= readFile(join(DIRECTORY, 'page.html'), 'utf8').then((html) =>
      withIdentity(html, config),
    )
    const data = JSON.stringify(dataOf(values, notice)).replaceAll('<', '\\u003c')
    return {
      name: '/graphql',
      status: 200,
      json: withBase(await template, config.BASE_PATH).replace('>DATA<', () => `>${data}<`),
    }
  }
  const compute = async (caller: Caller) =>
    render(exampleValuesOf(await graph.runDocument(valuesOperation, {}, { caller })), EMPTY)
  return {
    async send(request: FastifyRequest, reply: FastifyReply) {
      const caller = exchangeOf(request.raw, reply.raw)
      const answer = await edge
        .answer('GraphiQL', compute, caller)
        .catch(() => edge.answer(undefined, () => render(undefined, UNREACHABLE), caller))
      const sent = { type: 'text/html; charset=utf-8', vary: 'Origin, Accept', headers: HEADERS }
      return sendAnswer(request, reply.hijack().raw, answer, edge, sent)
    },
  }
}

function dataOf(values: ExampleValues | undefined, notice: string): PageData {
  return {
    notice: values ? undefined : notice,
    examples: examples.map(({ variables, ...example }) => ({
      ...example,
      variables: JSON.stringify(variables?.(values ?? noValues) ?? {}, null, 2),
    })),
  }
}

export const mountGraphiQLAssets = (app: FastifyInstance, edge: EdgeCache): void =>
  mountStaticFiles(app, edge, {
    url: '/graphql/assets',
    directory: join(DIRECTORY, 'assets'),
    hashed: '',
  })
