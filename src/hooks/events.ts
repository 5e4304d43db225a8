/** An event of the store, as a trigger notes it, and a query that reads the state that it tells of. */
interface EventKind {
  meaning: string
  query: string
  variables(facts: Record<string, unknown>): Record<string, unknown>
}

/** The events that a hook may ask for, by name. */
export const EVENTS: Readonly<Record<string, EventKind>> = {
  'distribution.computed': {
    meaning: 'a run has stored the points of a date',
    query:
      'query ($date: Date!) { distribution(date: $date) ' +
      '{ date kind points positionCount digest finishedAt } }',
    variables: ({ date }) => ({ date }),
  },
  'distribution.failed': {
    meaning: 'a run of a date has failed',
    query:
      'query ($run: BigInt!) { run(recordId: $run) ' +
      '{ kind status date requestedBy error finishedAt } }',
    variables: ({ runId }) => ({ run: runId }),
  },
}

/** The body of a message: the same at each attempt. */
export function bodyOf(event: string, occurredAt: Date, facts: Record<string, unknown>): string {
  const { query, variables } = EVENTS[event] ?? TEST
  return JSON.stringify({
    type: event,
    timestamp: occurredAt.toISOString(),
    data: facts,
    graphql: { query, variables: variables(facts) },
  })
}

const TEST: Omit<EventKind, 'meaning'> = { query: '{ __typename }', variables: () => ({}) }
