import { blo } from 'blo'

/** The mark of the product: two sides of a pool, and what rises between them. */
export const Mark = () => (
  <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="9" fill="var(--brand)" />
    <path
      d="M7 21a9 9 0 0 1 9-9"
      stroke="#ffffff"
      strokeOpacity="0.55"
      strokeWidth="3.5"
      strokeLinecap="round"
      fill="none"
    />
    <path d="M25 11a9 9 0 0 1-9 9" stroke="#ffffff" strokeWidth="3.5" strokeLinecap="round" fill="none" />
  </svg>
)

/** The picture of a wallet that explorers and other wallets show too. */
export const WalletIcon = ({ address, size = 20 }: { address: string; size?: number }) => (
  <img className="icon" src={blo(address as `0x${string}`)} width={size} height={size} alt="" />
)

interface Token {
  symbol: string
  address: string
}

/** A token's colour comes from its address, so two tokens with one symbol differ. */
const colour = ({ address }: Token) => `hsl(${Number.parseInt(address.slice(2, 8), 16) % 360} 52% 40%)`

function Glyph({ token, x, size }: { token: Token; x: number; size: number }) {
  const letters = token.symbol.replace(/[^0-9A-Za-z]/g, '').slice(0, 3)
  return (
    <>
      <circle cx={x + size / 2} cy={size / 2} r={size / 2 - 0.5} fill={colour(token)} stroke="var(--surface)" />
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
    </>
  )
}

/** The glyphs of a token, or of both tokens of a pool. */
export function TokenIcons({ tokens, size = 20 }: { tokens: readonly Token[]; size?: number }) {
  const step = size * 0.86
  const width = size + step * (tokens.length - 1)
  return (
    <svg width={width} height={size} viewBox={`0 0 ${width} ${size}`} aria-hidden="true">
      {tokens.map((token, i) => <Glyph key={token.address} token={token} x={i * step} size={size} />).reverse()}
    </svg>
  )
}
