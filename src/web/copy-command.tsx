import { useState } from 'react'

/** Copies a command. Pages that do not come over TLS have no clipboard. */
export function CopyCommand({ command, name }: { command: string; name: string }) {
  const [said, setSaid] = useState(name)
  const copy = () =>
    navigator.clipboard.writeText(command).then(
      () => setSaid('Copied'),
      () => setSaid('Not allowed'),
    )
  if (!('clipboard' in navigator)) return null
  return (
    <button type="button" onClick={copy}>
      <span aria-live="polite">{said}</span>
    </button>
  )
}
