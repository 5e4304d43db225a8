import { afterAll, afterEach } from 'vitest'

/** The errors that gateways of this process have logged since the last test ended. */
const causes: string[] = []

/** Takes a line of the log of a gateway. */
export function noteCause(line: string): void {
  const { msg, requestId, err } = JSON.parse(line)
  causes.push(`${msg} ${requestId ?? ''}\n${err?.stack ?? line}`)
}

const printCauses = () => {
  for (const cause of causes.splice(0)) process.stderr.write(`\nA gateway logged: ${cause}\n`)
}

/**
 * A client gets INTERNAL and a request id. With a test that fails stands what the gateway logged:
 * the cause.
 */
export function printCausesOfFailures(): void {
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') printCauses()
    causes.length = 0
  })
  // What is left comes from hooks: when those before all tests fail, no test runs.
  afterAll(printCauses)
}
