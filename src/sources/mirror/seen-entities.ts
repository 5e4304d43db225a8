import { type EntityRef, entityKey } from './gateway-graph.ts'
import { Contradiction } from './rest-api.ts'

/** A market or vault of a server, as far as its answers show it. */
export interface SeenEntity extends EntityRef {
  depositRate: number
  borrowRate: number
}

/** The markets and vaults that a server's answers name, and their chains. */
export class SeenEntities {
  readonly chains: Set<number>
  readonly #source: string
  readonly #seen = new Map<string, SeenEntity>()
  #isComplete = false

  /** @param chains those that are known before any answer */
  constructor(source: string, chains: Iterable<number>) {
    this.#source = source
    this.chains = new Set(chains)
  }

  /** The entity that a record references. @throws Contradiction for a new one after `complete` */
  see({ kind, chainId, address }: EntityRef): SeenEntity {
    const key = entityKey({ kind, chainId, address })
    const known = this.#seen.get(key)
    if (known) return known
    if (this.#isComplete)
      throw new Contradiction(
        this.#source,
        `a record names the ${kind} ${address} on chain ${chainId}, which it does not list`,
      )
    const entity = { kind, chainId, address, depositRate: 0, borrowRate: 0 }
    this.#seen.set(key, entity)
    this.chains.add(chainId)
    return entity
  }

  /** The entities of a kind in a fixed order, or only those at an address. */
  all(kind: EntityRef['kind'], address?: string): SeenEntity[] {
    return [...this.#seen.values()]
      .filter((one) => one.kind === kind && (address === undefined || one.address === address))
      .sort((a, b) => a.chainId - b.chainId || (a.address < b.address ? -1 : 1))
  }

  has(ref: EntityRef): boolean {
    return this.#seen.has(entityKey(ref))
  }

  /** From here on, a record that names another entity contradicts the server's lists. */
  complete(): void {
    this.#isComplete = true
  }
}
