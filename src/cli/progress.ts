import type { WriteStream } from 'node:tty'
import { MultiBar, Presets, SingleBar } from 'cli-progress'

/** The progress of reading one file. */
export interface Progress {
  file: string
  bytes: number
  /** The length of the file, if known. */
  size?: number | undefined
  lines: number
}

const QUIET_MS = 5000

/** Shows progress: one bar per file on a terminal, otherwise a plain line now and then. */
export function showProgress(stream: WriteStream): { update(progress: Progress): void; done(): void } {
  if (!stream.isTTY) return showLines(stream)
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

/** The progress of copying another server. */
interface WalkProgress {
  what: string
  done: number
  total: number | undefined
}

/** Shows the progress of copying a server: one bar per kind of record on a terminal, otherwise a plain line now and then. */
export function showWalk(stream: WriteStream): { update(progress: WalkProgress): void; done(): void } {
  if (!stream.isTTY) {
    let last = performance.now()
    return {
      update({ what, done, total }) {
        if (performance.now() - last < QUIET_MS) return
        last = performance.now()
        stream.write(`${what}: ${done}${total === undefined ? '' : ` of ${total}`} so far\n`)
      },
      done() {},
    }
  }
  const all = new MultiBar(
    { stream, clearOnComplete: false, hideCursor: true, format: '{what} {bar} {value} of {total} | {eta} s' },
    Presets.shades_classic,
  )
  const bars = new Map<string, SingleBar>()
  return {
    update({ what, done, total }) {
      const bar = bars.get(what) ?? all.create(total ?? done, 0, { what: what.padEnd(20) })
      bars.set(what, bar)
      bar.setTotal(total ?? Math.max(done, 1))
      bar.update(done)
    },
    done: () => all.stop(),
  }
}

interface DatesProgress {
  begin(date: string): void
  /** Removes the bar. */
  end(): void
}

/** Shows the progress of a range of dates: a bar on a terminal, otherwise nothing, since each date prints a line. */
export function showDates(stream: WriteStream, total: number): DatesProgress {
  if (!stream.isTTY || total < 2) return { begin() {}, end() {} }
  const format = '{date} {bar} {value} of {total} dates{left}'
  const bar = new SingleBar({ stream, clearOnComplete: true, hideCursor: true, format }, Presets.shades_classic)
  const start = performance.now()
  let begun = 0
  return {
    begin(date) {
      const seconds = Math.ceil(((performance.now() - start) / 1000 / begun) * (total - begun))
      bar.start(total, begun, { date, left: begun > 0 ? ` | about ${seconds} s` : '' })
      begun++
    },
    end: () => bar.stop(),
  }
}

/** Shows the progress of reading files of unknown length: a line now and then. */
export function showLines(stream: NodeJS.WritableStream, everyMs = QUIET_MS) {
  let last = performance.now()
  return {
    update({ file, lines }: Progress) {
      if (performance.now() - last < everyMs) return
      last = performance.now()
      stream.write(`${file}: ${lines} lines so far\n`)
    },
    done() {},
  }
}
