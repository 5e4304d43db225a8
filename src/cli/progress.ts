import type { WriteStream } from 'node:tty'
import { MultiBar, Presets, SingleBar } from 'cli-progress'
import { visible } from '../visible.ts'

export interface FileProgress {
  file: string
  bytes: number
  /** The length of the file, if known. */
  size?: number | undefined
  lines: number
}

const QUIET_MS = 5000

/** Shows progress: one bar per file on a terminal, otherwise a plain line now and then. */
export function showProgress(stream: WriteStream): {
  update(progress: FileProgress): void
  done(): void
} {
  if (!stream.isTTY) return showLines(stream)
  const bars = openBars(stream, '{bar} {percentage}% | {lines} lines | {eta} s', 34)
  return {
    update({ file, bytes, size, lines }) {
      const bar = bars.of(file, size ?? bytes, { lines })
      bar.update(Math.min(bytes, bar.getTotal()), { lines })
    },
    done: bars.done,
  }
}

interface WalkProgress {
  what: string
  done: number
  total: number | undefined
}

/**
 * Shows the progress of copying a server: one bar per kind of record on a terminal, otherwise a
 * plain line now and then.
 */
export function showWalk(stream: WriteStream): {
  update(progress: WalkProgress): void
  done(): void
} {
  if (!stream.isTTY) {
    const say = nowAndThen(stream)
    return {
      update: ({ what, done, total }) =>
        say(`${what}: ${done}${total === undefined ? '' : ` of ${total}`} so far`),
      done() {},
    }
  }
  const bars = openBars(stream, '{bar} {value} of {total} | {eta} s', 20)
  return {
    update({ what, done, total }) {
      const bar = bars.of(what, total ?? done)
      bar.setTotal(total ?? Math.max(done, 1))
      bar.update(done)
    },
    done: bars.done,
  }
}

function openBars(stream: WriteStream, format: string, nameWidth: number) {
  const options = { stream, clearOnComplete: false, hideCursor: true, format: `{name} ${format}` }
  const all = new MultiBar(options, Presets.shades_classic)
  const bars = new Map<string, SingleBar>()
  return {
    of(name: string, total: number, more: object = {}): SingleBar {
      const bar =
        bars.get(name) ?? all.create(total, 0, { name: visible(name).padEnd(nameWidth), ...more })
      bars.set(name, bar)
      return bar
    },
    done: () => all.stop(),
  }
}

/** Shows the progress of reading files of unknown length: a line now and then. */
export function showLines(stream: NodeJS.WritableStream, everyMs = QUIET_MS) {
  const say = nowAndThen(stream, everyMs)
  return {
    update: ({ file, lines }: FileProgress) => say(`${file}: ${lines} lines so far`),
    done() {},
  }
}

function nowAndThen(stream: NodeJS.WritableStream, everyMs = QUIET_MS): (line: string) => void {
  let last = performance.now()
  return (line) => {
    if (performance.now() - last < everyMs) return
    last = performance.now()
    stream.write(`${visible(line)}\n`)
  }
}

export interface Phases {
  begin(phase: string): void
  end(): void
}

const PHASE_MS = 10_000

/** Says what a command does, if that takes long. */
export function showPhases(stream: NodeJS.WritableStream, afterMs = PHASE_MS): Phases {
  let timer: NodeJS.Timeout | undefined
  return {
    begin(phase) {
      clearTimeout(timer)
      timer = setTimeout(() => stream.write(`${phase} ...\n`), afterMs).unref()
    },
    end: () => clearTimeout(timer),
  }
}

interface DatesProgress {
  begin(date: string): void
  end(): void
}

/**
 * Shows the progress of a range of dates: a bar on a terminal, otherwise nothing, since each date
 * prints a line.
 */
export function showDates(stream: WriteStream, total: number): DatesProgress {
  if (!stream.isTTY || total < 2) return { begin() {}, end() {} }
  const format = '{date} {bar} {value} of {total} dates{left}'
  const bar = new SingleBar(
    { stream, clearOnComplete: true, hideCursor: true, format },
    Presets.shades_classic,
  )
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
