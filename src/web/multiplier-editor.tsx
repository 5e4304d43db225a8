import { Empty } from './answer.tsx'
import { ChainChoice, chainsOf } from './chain-choice.tsx'
import { chainName } from './chains.ts'
import {
  type Edits,
  FACTORS,
  type FactorName,
  type PoolFactors,
  problemOfFactor,
} from './factors.ts'
import { type Column, PagedTable, usePage } from './table.tsx'
import { useUrlState } from './url-state.ts'
import { Num, PoolLink } from './values.tsx'

const ROWS = 10
const PAGE = 'pools'

/** A pool that the editor lists. */
export interface EditedPool extends PoolFactors {
  name: string
  chainId: number
  tvlUsd: number
  /** The symbols of both tokens. */
  symbols: readonly [string, string]
}

interface EditorProps {
  pools: readonly EditedPool[]
  edits: Edits
  onEdit(pool: string, name: FactorName, text: string): void
}

/** The multipliers of pools as fields: a changed one is pointed out, a wrong one says why. */
export function MultiplierEditor({ pools, edits, onEdit }: EditorProps) {
  const url = useUrlState()
  const [text, chain] = [url.get('pool') ?? '', url.get('chain')]
  const found = pools.filter(
    ({ name, chainId, address }) =>
      (!chain || String(chainId) === chain) &&
      `${name} ${address}`.toLowerCase().includes(text.trim().toLowerCase()),
  )
  const { offset = 0 } = usePage(ROWS, PAGE)
  const chains = chainsOf(pools)
  return (
    <>
      <div className="choices">
        <label>
          Pool
          <input
            type="search"
            value={text}
            maxLength={100}
            placeholder="Name or address"
            onChange={({ target }) =>
              url.set({ pool: target.value, [PAGE]: undefined }, { replace: true })
            }
          />
        </label>
        <ChainChoice
          chains={chains}
          chosen={chain ?? ''}
          onChain={(chain) => url.set({ chain, [PAGE]: undefined })}
        />
      </div>
      <PagedTable
        caption="Multipliers of the date"
        columns={[...placeColumns, ...FACTORS.map((name) => factorColumn(name, edits, onEdit))]}
        list={{ nodes: found.slice(offset, offset + ROWS), totalCount: found.length }}
        rows={ROWS}
        parameter={PAGE}
        rowKey={({ address }) => address}
        empty={
          <Empty>{pools.length === 0 ? 'No pools are stored.' : 'No pool is like that.'}</Empty>
        }
        cards="facts"
      />
    </>
  )
}

const placeColumns: Column<EditedPool>[] = [
  {
    name: 'Pool',
    heads: true,
    cell: ({ address, name, chainId }) => (
      <>
        <PoolLink address={address} name={name} />
        <small className="chain">{chainName(chainId)}</small>
      </>
    ),
  },
  { name: 'TVL', numeric: true, cell: ({ tvlUsd }) => <Num value={tvlUsd} unit="usd" /> },
]

const WORDS: Record<FactorName, [name: string, side: 0 | 1]> = {
  depositA: ['Deposit A', 0],
  depositB: ['Deposit B', 1],
  borrowA: ['Borrow A', 0],
  borrowB: ['Borrow B', 1],
}

function factorColumn(
  name: FactorName,
  edits: Edits,
  onEdit: EditorProps['onEdit'],
): Column<EditedPool> {
  const [title, side] = WORDS[name]
  return {
    name: title,
    cell: ({ address, factors, symbols, name: pool }) => {
      const stored = factors ? String(factors[name]) : ''
      const text = edits[address]?.[name]
      const problem = text === undefined ? undefined : problemOfFactor(text)
      const id = `${address}-${name}`
      return (
        <span className="factor-field">
          <input
            aria-label={`${title}, ${symbols[side]}, of ${pool}`}
            aria-invalid={problem !== undefined}
            aria-describedby={problem && id}
            data-changed={(text !== undefined && text !== stored) || undefined}
            inputMode="decimal"
            maxLength={20}
            value={text ?? stored}
            placeholder="none"
            onChange={({ target }) => onEdit(address, name, target.value)}
          />
          <small>{symbols[side]}</small>
          {problem && (
            <small id={id} className="loss" role="alert">
              {problem}
            </small>
          )}
        </span>
      )
    },
  }
}
