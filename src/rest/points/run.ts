import * as z from 'zod'
import { GatewayError } from '../../errors.ts'
import { graphql } from '../../generated/operations/gql.ts'
import type { FinishedRunFragment } from '../../generated/operations/graphql.ts'
import { midnight } from '../../time.ts'
import { endpoint } from '../endpoint.ts'
import { date } from '../parameters.ts'
import * as shapes from '../shapes.ts'

export const finishedRun = graphql(`
  fragment FinishedRun on Run {
    date totalsAfter { positionCount totalPoints: points } startedAt finishedAt
  }
`)
const update = graphql(`
  mutation RestManualUpdate($date: Date) {
    updateDistribution(input: { date: $date }) { run { ...FinishedRun } }
  }
`)
const resyncOperation = graphql(`
  mutation RestResync($date: Date) {
    resyncDistribution(input: { date: $date }) { run { ...FinishedRun } }
  }
`)

const input = {
  query: z.object({ date: date.optional().describe('The distribution date.') }),
  body: z
    .object(
      { date: date.optional().describe('The distribution date.') },
      'must be a JSON object such as {"date": "2025-03-01"}',
    )
    .optional()
    .describe('The distribution date, if it is not in the query.'),
}

const errors = {
  401: 'The admin token is missing or wrong',
  403: 'The server runs without an admin token',
  409: 'A run for the date is in progress',
}

export const manualUpdate = endpoint({
  operationId: 'manualUpdate',
  summary: "Fetch a date's positions and recompute its points",
  description:
    'Fetches the positions for a distribution date (default: the current UTC date) from the ' +
    'configured source and computes their points. Either everything is stored or nothing is.',
  ...input,
  response: shapes.runShape,
  errors: {
    ...errors,
    502: 'The source failed; nothing was changed',
    503: 'No source is configured',
  },
  admin: 'runs',
  operation: update,
  variables: ({ query, body }) => ({ date: requestedDate(query.date, body?.date) }),
  answer: ({ data }) => ({ body: bodyOf(data.updateDistribution.run) }),
})

export const resync = endpoint({
  operationId: 'resync',
  summary: "Recompute a date's points from stored data",
  description:
    'Recomputes the points of a distribution date (default: the newest stored date) from its ' +
    'stored positions and the rules of that date. Either everything is stored or nothing is.',
  ...input,
  response: shapes.runShape,
  errors: { ...errors, 404: 'No positions are stored for the date' },
  admin: 'runs',
  operation: resyncOperation,
  variables: ({ query, body }) => ({ date: requestedDate(query.date, body?.date) }),
  answer: ({ data }) => ({ body: bodyOf(data.resyncDistribution.run) }),
})

function bodyOf({ date, totalsAfter, startedAt, finishedAt }: FinishedRunFragment) {
  if (!date || !totalsAfter || !finishedAt) throw new Error('a run that succeeded stored nothing')
  return { distributionDate: midnight(date), ...totalsAfter, startedAt, finishedAt }
}

function requestedDate(inQuery: string | undefined, inBody: string | undefined): string | null {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    const message = `is ${inBody}, but the query says ${inQuery}`
    throw new GatewayError('BAD_INPUT', `date ${message}.`, [{ in: 'body', name: 'date', message }])
  }
  return inQuery ?? inBody ?? null
}
