import { useEffect, useSyncExternalStore } from 'react'
import { brief } from './format.ts'
import { cut, looksAlike, type NameKind, noteName, onAlike } from './names.ts'

interface NameProps {
  kind: NameKind
  name: string
  address: string
}

/** A name, with its address if another one looks like it. A long name is cut. */
export function Name({ kind, name, address }: NameProps) {
  useEffect(() => noteName(kind, name, address), [kind, name, address])
  const isAlike = useSyncExternalStore(onAlike, () => looksAlike(kind, name, address))
  return (
    <>
      <bdi className="name" title={name.length > 20 ? name : undefined}>
        {name}
      </bdi>
      {isAlike && name !== brief(address) && <small className="hex"> {brief(address)}</small>}
    </>
  )
}

/** The symbol of a token. */
export const TokenSymbol = ({
  token: { symbol, address },
}: {
  token: { symbol: string; address: string }
}) => <Name kind="token" name={symbol} address={address} />

/** A name in a place that takes text alone. */
export const nameText = ({ kind, name, address }: NameProps): string =>
  `${cut(name, 40)}${looksAlike(kind, name, address) ? ` ${brief(address)}` : ''}`
