import type { ReactElement } from 'react'

/** How a part of the gateway is. */
export type State = keyof typeof WORDS

const WORDS = {
  ok: 'on time',
  succeeded: 'succeeded',
  late: 'late',
  failed: 'failed',
  sample: 'sample',
  running: 'running',
  valid: 'valid',
  expired: 'expired',
  revoked: 'revoked',
  idle: 'idle',
  sending: 'sending',
  failing: 'failing',
}

/** A state as a dot and a word: its shape differs too, so it is not by colour alone. */
export const StateDot = ({ state }: { state: State }) => (
  <span className={`state ${state}`}>
    <svg className="dot" viewBox="0 0 10 10" aria-hidden="true">
      {SHAPES[state]}
    </svg>
    {WORDS[state]}
  </span>
)

const CIRCLE = <circle cx="5" cy="5" r="4.5" />
const RING = <circle cx="5" cy="5" r="3.5" fill="none" stroke="currentColor" strokeWidth="2" />
const SQUARE = <path d="M.5 .5h9v9h-9Z" />
const SHAPES: Record<State, ReactElement> = {
  ok: CIRCLE,
  succeeded: CIRCLE,
  late: <path d="M5 .5 10 9.5H0Z" />,
  failed: SQUARE,
  sample: RING,
  running: RING,
  valid: CIRCLE,
  expired: RING,
  revoked: RING,
  idle: RING,
  sending: CIRCLE,
  failing: SQUARE,
}
