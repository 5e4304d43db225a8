import type { StoreProbe } from '../connect/probe.ts'

/** The connections to a server, as far as they matter here. */
export interface ServerConnections {
  probe: Pick<StoreProbe, 'query'>
  close(): Promise<void>
}

export interface Sight {
  inRecovery: boolean
  version: number
  /** Identifies the state of the data. A version number alone would repeat on another timeline. */
  history: string
}

const SIGHT = `SELECT pg_is_in_recovery() AS "inRecovery", sum(version)::float8 AS version,
  string_agg(history::text, '/' ORDER BY id) AS history FROM data_version`

/** A server whose data version is known to be at least `seen`, since a version never falls. */
export class WatchedServer<Store extends ServerConnections> {
  readonly store: Store
  readonly #onSight: (sight: Sight) => void
  #running: Promise<Sight> | undefined
  #next: Promise<Sight> | undefined
  seen = 0

  constructor(store: Store, onSight: (sight: Sight) => void) {
    this.store = store
    this.#onSight = onSight
  }

  /** Reads the version after this call. Concurrent calls share a statement. */
  look(): Promise<Sight> {
    if (!this.#running) return this.#look()
    this.#next ??= this.#running.then(
      () => this.#look(),
      () => this.#look(),
    )
    return this.#next
  }

  #look(): Promise<Sight> {
    this.#next = undefined
    this.#running = this.store.probe
      .query<Sight>(SIGHT)
      .then(({ rows: [sight] }) => {
        if (!sight) throw new Error('a server has no data version')
        this.#onSight(sight)
        return sight
      })
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }
}
