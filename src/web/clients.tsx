import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { bearing, keepAdminToken, REFUSED, sentToken, useAdminToken } from './admin-token.ts'
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
  perMinute: number | null
  perDay: number | null
  /** Null if it was not counted. */
  usedInMinute: number | null
  usedInDay: number | null
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
}

interface Hook {
  id: string
  host: string
  events: string[]
  /** The number of wallets that it watches. */
  wallets: number
  waiting: number
  /** Messages that were given up. */
  dead: number
}

interface Clients {
  keys: ApiKey[]
  hooks: Hook[]
}

async function read<Data>(path: string, token: string): Promise<Data> {
  const response = await fetch(served(path), { headers: bearing(token) }).catch(() => {
    throw new Error('The gateway cannot be reached.')
  })
  if (response.status === 401) throw new Error(REFUSED)
  const body = await response.json().catch(() => ({}))
  if (response.ok) return body
  throw new Error(body.detail ?? `The gateway answered with the status ${response.status}.`)
}

const readClients = async (token: string): Promise<Clients> => ({
  ...(await read<Pick<Clients, 'keys'>>('/keys', token)),
  ...(await read<Pick<Clients, 'hooks'>>('/hooks', token)),
})

/** The API keys and the hooks of the gateway, which it shows to admins, and their commands. */
export function ClientsOfGateway() {
  const accepted = useAdminToken()
  const [tried, setTried] = useState({ token: '' })
  const [clients, setClients] = useState<Clients>()
  const [fault, setFault] = useState<string>()
  const token = tried.token || accepted
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try reads, also with the same token
  useEffect(() => {
    if (token === '') return undefined
    let isOver = false
    const unlessOver = (then: () => void) => !isOver && then()
    readClients(token).then(
      (found) =>
        unlessOver(() => {
          setClients(found)
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
        Who calls the gateway with limits that belong to them alone, and whom it tells of events. No
        secret is shown; the host stands for the URL of a hook, whose path may be one.
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
            parameter="keys"
            empty="There are no keys: everybody is answered as a client without one."
            commands={['gateway keys add NAME --minute 600 --day 100000']}
          />
          <List
            title="Hooks"
            columns={hookColumns}
            nodes={clients.hooks}
            parameter="hooks"
            empty="There are no hooks: nobody is told of anything."
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
  parameter: string
  empty: string
  commands: string[]
}

function List<Row extends { id: string }>({
  title,
  nodes,
  empty,
  commands,
  ...list
}: ListProps<Row>) {
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
        rowKey={({ id }) => id}
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

const hookColumns: Column<Hook>[] = [
  { name: 'Hook', heads: true, cell: ({ id }) => id },
  { name: 'Host', cell: ({ host }) => host },
  {
    name: 'Events',
    cell: ({ events, wallets }) => (
      <>
        {events.join(', ')}
        {wallets > 0 && (
          <small className="below-number">
            of <Num value={wallets} unit="count" /> {wallets === 1 ? 'wallet' : 'wallets'}
          </small>
        )}
      </>
    ),
  },
  {
    name: 'Waiting',
    numeric: true,
    cell: ({ waiting }) => <Num value={waiting} unit="count" ifZero="no message waits" />,
  },
  {
    name: 'Given up',
    numeric: true,
    cell: ({ dead }) => <Num value={dead} unit="count" ifZero="no message was given up" />,
  },
]
