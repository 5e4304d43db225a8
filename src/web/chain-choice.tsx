import { chainName } from './chains.ts'

interface ChainChoiceProps {
  chains: readonly number[]
  chosen: string
  /** Receives the number of a chain, or an empty text for all. */
  onChain(chain: string): void
}

/** Lets one of some chains be chosen, or all. */
export const ChainChoice = ({ chains, chosen, onChain }: ChainChoiceProps) => (
  <label>
    Chain
    <select value={chosen} onChange={({ target }) => onChain(target.value)}>
      <option value="">All chains</option>
      {chains.map((id) => (
        <option key={id} value={id}>
          {chainName(id)}
        </option>
      ))}
    </select>
  </label>
)

/** The chains of pools, by number. */
export const chainsOf = (pools: readonly { chainId: number }[]): number[] =>
  [...new Set(pools.map(({ chainId }) => chainId))].sort((a, b) => a - b)
