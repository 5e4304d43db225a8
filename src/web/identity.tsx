import { blo } from 'blo'
import { useState } from 'react'
import { useToken } from './tokens.tsx'

/** The picture of a wallet that explorers and other wallets show too. */
export const WalletIcon = ({ address, size = 20 }: { address: string; size?: number }) => (
  <img className="icon" src={blo(address as `0x${string}`)} width={size} height={size} alt="" />
)

interface Token {
  id: string
  symbol: string
  address: string
}

/** A token's colour comes from its address, so two tokens with one symbol differ. */
const colour = ({ address }: Token) =>
  `hsl(${Number.parseInt(address.slice(2, 8), 16) % 360} 52% 40%)`

/**
 * A token's logo. Until it has loaded, or if it cannot load, the letters of the symbol replace it.
 */
function Glyph({ token, x, size }: { token: Token; x: number; size: number }) {
  const { name, logoUri } = useToken(token.id) ?? {}
  const [loaded, setLoaded] = useState<string>()
  const letters = token.symbol.replace(/[^0-9A-Za-z]/g, '').slice(0, 3)
  const hasLogo = logoUri && loaded === logoUri
  return (
    <g>
      {name && <title>{name}</title>}
      <circle
        cx={x + size / 2}
        cy={size / 2}
        r={size / 2 - 0.5}
        fill={hasLogo ? 'var(--surface)' : colour(token)}
        stroke="var(--surface)"
      />
      {!hasLogo && (
        <text
          x={x + size / 2}
          y={size / 2}
          fill="#ffffff"
          fontSize={size * (letters.length > 2 ? 0.34 : 0.44)}
          fontWeight="650"
          textAnchor="middle"
          dominantBaseline="central"
        >
          {letters}
        </text>
      )}
      {logoUri && (
        <image
          className="logo"
          href={logoUri}
          x={x}
          width={size}
          height={size}
          onLoad={() => setLoaded(logoUri)}
          visibility={hasLogo ? undefined : 'hidden'}
        />
      )}
    </g>
  )
}

/** The logos of a token, or of both tokens of a pool. */
export function TokenIcons({ tokens, size = 20 }: { tokens: readonly Token[]; size?: number }) {
  const step = size * 0.86
  const width = size + step * (tokens.length - 1)
  return (
    <svg width={width} height={size} viewBox={`0 0 ${width} ${size}`} aria-hidden="true">
      {tokens
        .map((token, i) => <Glyph key={token.address} token={token} x={i * step} size={size} />)
        .reverse()}
    </svg>
  )
}
