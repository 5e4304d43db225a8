import { useRef, useState } from 'react'
import { served } from './paths.ts'
import { useDismissed } from './use-dismissed.ts'

const COPIED_MS = 1500

interface ShareProps {
  /** The path of the page in the dashboard. */
  path: string
  address: string
  /** A wallet has a card and a badge too. */
  kind: 'wallets' | 'pools'
}

/** The parts of a page that other sites can show, each with a button that copies it: its link, badge and chart. */
export function Share({ path, address, kind }: ShareProps) {
  const [isOpen, setOpen] = useState(false)
  const details = useRef<HTMLDetailsElement>(null)
  useDismissed(details)
  const at = (rest: string) => location.origin + served(rest)
  const link = at(`/dashboard${path}`)
  const frame =
    `<iframe src="${at(`/embed/${kind}/${address}`)}" width="600" height="300" ` +
    'title="Chart" loading="lazy"></iframe>'
  const badge = `[![Badge](${at(`/badge/${address}.svg`)})](${link})`
  const card = at(`/dashboard${path}/card.png`)
  const isWallet = kind === 'wallets'
  return (
    <details
      className="share"
      ref={details}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>Share</summary>
      {isOpen && (
        <div>
          {isWallet && <img src={card} width={600} height={315} alt="Card of this wallet" />}
          <Copied name="Link" text={link} />
          {isWallet && <Copied name="Picture" text={card} />}
          {isWallet && <Copied name="Badge (Markdown)" text={badge} />}
          <Copied name="Chart (HTML)" text={frame} />
        </div>
      )}
    </details>
  )
}

/** A text to copy. It can be selected where there is no clipboard. */
function Copied({ name, text }: { name: string; text: string }) {
  const [said, setSaid] = useState('Copy')
  const copy = async () => {
    setSaid(
      await navigator.clipboard.writeText(text).then(
        () => 'Copied',
        () => 'Not allowed',
      ),
    )
    setTimeout(() => setSaid('Copy'), COPIED_MS)
  }
  return (
    <label>
      <span>{name}</span>
      <input readOnly value={text} onFocus={({ target }) => target.select()} />
      {'clipboard' in navigator && (
        <button type="button" aria-label={`Copy: ${name}`} onClick={copy}>
          <span aria-live="polite">{said}</span>
        </button>
      )}
    </label>
  )
}
