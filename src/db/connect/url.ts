import { accessSync, constants } from 'node:fs'
import { pinned } from './session.ts'

// Parameters of a URL that connections take as they are.
const TAKEN = ['application_name', 'host', 'password', 'port', 'sslnegotiation', 'user']
const FILES = ['sslcert', 'sslkey', 'sslrootcert']

// Parameters that other clients know and that mean nothing here, with what takes their place.
const REPLACED: Record<string, string> = {
  connection_limit: 'DATABASE_POOL_SIZE is the number of connections',
  pool_timeout: 'a request waits 10 s for a connection',
  connect_timeout: 'a connection is given up after 2 s',
  socket_timeout: 'READ_TIMEOUT_MS limits reads',
  statement_timeout: 'READ_TIMEOUT_MS limits reads',
  lock_timeout: 'LOCK_TIMEOUT_MS limits how long writers wait',
  idle_in_transaction_session_timeout: 'transactions have a limit of their own',
  max_connection_lifetime: 'idle connections are closed after 10 s',
  max_idle_connection_lifetime: 'idle connections are closed after 10 s',
  statement_cache_size: 'behind a pooler in transaction mode statements have no names',
  target_session_attrs: 'a replica is refused as DATABASE_URL',
  channel_binding: 'passwords are proven by SCRAM without it',
  gssencmode: 'connections are encrypted by TLS alone',
  keepalives: 'connections are always kept alive',
  client_encoding: 'the encoding is always UTF8',
}

const ENCRYPTED = ['prefer', 'require', 'verify-ca', 'verify-full']
const SSLMODES = ['disable', 'no-verify', ...ENCRYPTED]

export const NOT_ENCODED =
  'must be a URL like postgres://user:password@host:5432/database, with special characters of ' +
  'the password percent-encoded (@ is %40, / is %2F, # is %23, ? is %3F, % is %25)'

interface DatabaseUrl {
  url: string
  unused: string[]
}

/**
 * Reads the URL of a Postgres with the parameters that users of libpq and Prisma write. Each has
 * its meaning, or is named.
 * @returns a fault as the end of a sentence that begins with the setting's name, and that shows no
 * part of the URL but parameters
 */
export function readDatabaseUrl(text: string): DatabaseUrl | { fault: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !isEncoded(url)) return { fault: NOT_ENCODED }
  const unused: string[] = []
  for (const [name, value] of [...url.searchParams]) {
    const read = readParameter(name, value)
    if (read === 'taken') continue
    if (typeof read === 'object' && 'fault' in read) return read
    if (typeof read === 'object') unused.push(`${name} is not used: ${read.unused}`)
    url.searchParams.delete(name)
  }
  return { url: withCheckedCertificate(url.href), unused }
}

/**
 * The library warns of modes that check less elsewhere, and checks the certificate all the same.
 */
export function withCheckedCertificate(text: string): string {
  const url = new URL(text)
  if (ENCRYPTED.includes(url.searchParams.get('sslmode') ?? ''))
    url.searchParams.set('sslmode', 'verify-full')
  return url.href
}

/** False for a URL that was cut short by a character of its password. */
export function isEncoded({ username, password, pathname, search, hash }: URL): boolean {
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part)
  } catch {
    return false
  }
  return hash === '' && !`${pathname}${search}`.includes('@')
}

type ParameterMeaning = 'taken' | 'dropped' | { unused: string } | { fault: string }

function readParameter(name: string, value: string): ParameterMeaning {
  if (TAKEN.includes(name)) return 'taken'
  if (FILES.includes(name)) return readFile(name, value)
  const replacement = REPLACED[name]
  if (replacement !== undefined) return { unused: replacement }
  switch (name) {
    case 'options':
      return readOptions(value)
    case 'schema':
      return value === 'public' ? 'dropped' : { fault: schemaFault(value) }
    case 'pgbouncer':
      return /^(true|false)$/.test(value)
        ? 'dropped'
        : { fault: `must not have pgbouncer=${shown(value)}` }
    case 'sslmode':
      if (SSLMODES.includes(value)) return 'taken'
      return { fault: `must not have sslmode=${shown(value)}: it is one of ${SSLMODES.join(', ')}` }
    case 'sslaccept':
      if (value === 'strict') return 'dropped'
      return {
        fault:
          'must not have sslaccept: sslmode=no-verify encrypts without checking the certificate',
      }
    case 'sslidentity':
    case 'sslpassword':
      return { fault: `must not have ${name}: sslcert and sslkey name a certificate and its key` }
    default:
      return {
        fault: `must not have the parameter ${shown(name)}, which the gateway does not know`,
      }
  }
}

function readFile(name: string, path: string): ParameterMeaning {
  try {
    accessSync(path, constants.R_OK)
    return 'taken'
  } catch {
    return { fault: `has ${name}, which must be the path of a file that can be read` }
  }
}

function readOptions(value: string): ParameterMeaning {
  // Postgres takes `-c name=value` and `--name=value`, in any case, with hyphens for underscores.
  const set = value.replaceAll('-', '_').toLowerCase()
  const name = Object.keys(pinned).find((one) =>
    new RegExp(`\\b_*c?${one.toLowerCase()}\\s*=`).test(set),
  )
  if (name === undefined) return 'taken'
  const reason =
    name === 'search_path'
      ? 'the tables of the gateway are in the schema public'
      : replacementOf(name)
  return { fault: `must not set ${name}: ${reason}` }
}

const replacementOf = (name: string) =>
  REPLACED[name] ?? 'each connection of the gateway has its own'

const schemaFault = (value: string) =>
  `must not have schema=${shown(value)}: the tables of the gateway are in the schema public of ` +
  'a database, which it shares with no other program'

const shown = (value: string) => value.replace(/[^\w.-]/g, '?').slice(0, 40)
