import type { Queryable } from '../connect/protocol.ts'

/**
 * How many seconds this machine's clock is ahead of Postgres', as far as the time of the question
 * lets it be known.
 */
export async function clockAhead(client: Queryable): Promise<number> {
  const sentAt = Date.now()
  const { rows } = await client.query(
    'SELECT extract(epoch FROM clock_timestamp())::float8 AS seconds',
  )
  return (sentAt + Date.now()) / 2000 - rows[0].seconds
}

const TOLERATED_SECONDS = 60

/** Says that two clocks differ too much. Undefined if they agree. */
export function clockWarning(other: string, ahead: number): string | undefined {
  if (Math.abs(ahead) < TOLERATED_SECONDS) return undefined
  const seconds = Math.round(Math.abs(ahead)).toLocaleString('en-US')
  return (
    `The clock of this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of ` +
    `${other}, so runs may take the wrong date: synchronize both with NTP.`
  )
}
