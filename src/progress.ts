import type { WriteStream } from 'node:tty'
import { MultiBar, Presets, type SingleBar } from 'cli-progress'

/** How far the reading of one file is. */
export interface Progress {
  file: string
  bytes: number
  /** The file's length, where it is known. */
  size?: number | undefined
  lines: number
}

const QUIET_MS = 5000

/** Shows progress: a bar a file on a terminal, a plain line now and then elsewhere. */
export function showProgress(stream: WriteStream): { update(progress: Progress): void; done(): void } {
  if (!stream.isTTY) return plainLines(stream)
  const all = new MultiBar(
    {
      stream,
      clearOnComplete: false,
      hideCursor: true,
      format: '{file} {bar} {percentage}% | {lines} lines | {eta} s',
    },
    Presets.shades_classic,
  )
  const bars = new Map<string, SingleBar>()
  return {
    update({ file, bytes, size, lines }) {
      const bar = bars.get(file) ?? all.create(size ?? bytes, 0, { file: file.padEnd(34), lines })
      bars.set(file, bar)
      bar.update(Math.min(bytes, bar.getTotal()), { lines })
    },
    done: () => all.stop(),
  }
}

function plainLines(stream: NodeJS.WritableStream) {
  let last = performance.now()
  return {
    update({ file, lines }: Progress) {
      if (performance.now() - last < QUIET_MS) return
      last = performance.now()
      stream.write(`${file}: ${lines} lines so far\n`)
    },
    done() {},
  }
}
