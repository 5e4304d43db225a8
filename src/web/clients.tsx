import { type HookEvent, HooksDocument, type HooksQuery } from 'lending-graph-client'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { type Client, useClient } from 'urql'
import {
  asOperator,
  bearing,
  isRefused,
  keepAdminToken,
  REFUSED,
  sentToken,
  useAdminToken,
} from './admin-token.ts'
import { Age } from './age.tsx'
import { Empty } from './answer.tsx'
import { CopyCommand } from './copy-command.tsx'
import { moment } from './format.ts'
import { Section } from './page-frame.tsx'
import { served } from './paths.ts'
import { StateDot } from './state-dot.tsx'
import { type Column, PagedTable, usePage } from './table.tsx'
import { TokenField } from './token-field.tsx'
import { Num } from './values.tsx'

const ROWS = 10

interface ApiKey {
  id: string
  name: string
  state: 'valid' | 'expired' | 'revoked'
  /** The work of operators that it may do. */
  scopes: string[]
  perMinute: number | null
  perDay: number | null
  /** Null if it was not counted. */
  usedInMinute: number | null
  usedInDay: number | null
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
}

type Hook = HooksQuery['hooks'][number]

interface Clients {
  keys: ApiKey[]
  hooks: readonly Hook[]
}

async function readKeys(token: string): Promise<ApiKey[]> {
  const response = await fetch(served('/keys'), { headers: bearing(token) }).catch(() => {
    throw new Error('The gateway cannot be reached.')
  })
  if (response.status === 401) throw new Error(REFUSED)
  const body = await response.json().catch(() => ({}))
  if (response.ok) return body.keys
  throw new Error(body.detail ?? `The gateway answered with the status ${response.status}.`)
}

async function readHooks(client: Client, token: string): Promise<readonly Hook[]> {
  const { data, error } = await client.query(HooksDocument, {}, asOperator(token)).toPromise()
  if (error && isRefused(error)) throw new Error(REFUSED)
  if (!data) throw new Error(error?.graphQLErrors[0]?.message ?? 'The gateway cannot be reached.')
  return data.hooks
}

/** The API keys and the hooks of the gateway, which it shows to admins, and their commands. */
export function ClientsOfGateway() {
  const accepted = useAdminToken()
  const client = useClient()
  const [tried, setTried] = useState({ token: '' })
  const [clients, setClients] = useState<Clients>()
  const [fault, setFault] = useState<string>()
  const token = tried.token || accepted
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try reads, also with the same token
  useEffect(() => {
    if (token === '') return undefined
    let isOver = false
    const unlessOver = (then: () => void) => !isOver && then()
    Promise.all([readKeys(token), readHooks(client, token)]).then(
      ([keys, hooks]) =>
        unlessOver(() => {
          setClients({ keys, hooks })
          setFault(undefined)
          keepAdminToken(token)
        }),
      (error: Error) => unlessOver(() => setFault(error.message)),
    )
    return () => {
      isOver = true
    }
  }, [token, tried])
  const show = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const sent = sentToken(event.currentTarget)
    if (sent === undefined) setFault(REFUSED)
    else setTried({ token: sent })
  }
  return (
    <Section id="clients" title="Keys and hooks">
      <p className="lede">
        Who calls the gateway with limits that belong to them alone, and who receives its messages.
        No secret is shown; the host stands for the URL of a hook, whose path may be one.
      </p>
      {clients ? (
        <div className="choices">
          <button type="button" onClick={() => setTried({ token })}>
            Read again
          </button>
        </div>
      ) : (
        <form className="choices" onSubmit={show}>
          <TokenField />
          <button type="submit">Show</button>
        </form>
      )}
      {fault && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      {clients && (
        <>
          <List
            title="API keys"
            columns={keyColumns}
            nodes={clients.keys}
            keyOf={({ id }) => id}
            parameter="keys"
            empty="There are no keys: everybody is answered as a client without one."
            commands={[
              'gateway keys add NAME --minute 600 --day 100000',
              'gateway keys add NAME --scope runs rules',
            ]}
          />
          <List
            title="Hooks"
            columns={hookColumns}
            nodes={clients.hooks}
            keyOf={({ recordId }) => recordId}
            parameter="hooks"
            empty="There are no hooks: no program receives messages."
            commands={['gateway hooks add https://example.org/hook', 'gateway hooks replay']}
          />
        </>
      )}
    </Section>
  )
}

interface ListProps<Row> {
  title: string
  columns: Column<Row>[]
  nodes: readonly Row[]
  keyOf(row: Row): string
  parameter: string
  empty: string
  commands: string[]
}

function List<Row>({ title, nodes, keyOf, empty, commands, ...list }: ListProps<Row>) {
  const { offset = 0 } = usePage(ROWS, list.parameter)
  return (
    <>
      <h3>
        {title} (<Num value={nodes.length} unit="count" />)
      </h3>
      <PagedTable
        {...list}
        caption={title}
        list={{ nodes: nodes.slice(offset, offset + ROWS), totalCount: nodes.length }}
        rows={ROWS}
        rowKey={keyOf}
        empty={<Empty>{empty}</Empty>}
      />
      {commands.map((command) => (
        <div key={command} className="command-line">
          <pre className="command">
            <code>{command}</code>
          </pre>
          <CopyCommand command={command} name="Copy" />
        </div>
      ))}
    </>
  )
}

const none = (text: string): ReactNode => <span className="none">{text}</span>

const pointsColumn = (
  name: string,
  limitOf: (key: ApiKey) => number | null,
  usedOf: (key: ApiKey) => number | null,
): Column<ApiKey> => ({
  name,
  numeric: true,
  cell: (key) => {
    const [limit, used] = [limitOf(key), usedOf(key)]
    return (
      <>
        {limit === null ? none('no own limit') : <Num value={limit} unit="count" />}
        {used !== null && (
          <small className="below-number">
            <Num value={used} unit="count" /> used
          </small>
        )}
      </>
    )
  },
})

const keyColumns: Column<ApiKey>[] = [
  { name: 'Name', heads: true, cell: ({ name }) => name },
  {
    name: 'State',
    cell: ({ state, expiresAt, revokedAt }) => {
      const end = revokedAt ?? expiresAt
      return (
        <>
          <StateDot state={state} />
          {end && (
            <small className="below-number">
              {state === 'valid' && 'until '}
              {moment(end)}
            </small>
          )}
        </>
      )
    },
  },
  {
    name: 'Scopes',
    cell: ({ scopes }) => (scopes.length > 0 ? scopes.join(', ') : none('only reads')),
  },
  pointsColumn(
    'Points a minute',
    ({ perMinute }) => perMinute,
    ({ usedInMinute }) => usedInMinute,
  ),
  pointsColumn(
    'Points a day',
    ({ perDay }) => perDay,
    ({ usedInDay }) => usedInDay,
  ),
  {
    name: 'Last use',
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Age iso={lastUsedAt} /> : none('not used yet')),
  },
]

const STATES = { IDLE: 'idle', SENDING: 'sending', FAILING: 'failing' } as const

// As the type of its messages.
const nameOf = (event: HookEvent) => event.toLowerCase().replace('_', '.')

const hookColumns: Column<Hook>[] = [
  { name: 'Hook', heads: true, cell: ({ recordId }) => recordId },
  { name: 'Host', cell: ({ host }) => host },
  { name: 'State', cell: ({ state }) => <StateDot state={STATES[state]} /> },
  {
    name: 'Waiting',
    numeric: true,
    cell: ({ waitingCount }) => <Num value={waitingCount} unit="count" ifZero="no message waits" />,
  },
  {
    name: 'Given up',
    numeric: true,
    cell: ({ givenUpCount }) => (
      <Num value={givenUpCount} unit="count" ifZero="no message was given up" />
    ),
  },
  { name: 'Last error', cell: ({ lastError }) => lastError ?? none('none') },
  {
    name: 'Events',
    cell: ({ events, walletCount }) => (
      <>
        {events.map(nameOf).join(', ')}
        {walletCount > 0 && (
          <small className="below-number">
            of <Num value={walletCount} unit="count" /> {walletCount === 1 ? 'wallet' : 'wallets'}
          </small>
        )}
      </>
    ),
  },
]
