import type { Metric, Registry } from 'prom-client'

/** In seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface Series {
  labels: Record<string, string>
  /** By bucket, the last one without an upper bound. */
  counts: number[]
  seconds: number
}

interface DurationHistogramOptions {
  name: string
  help: string
  metrics: Registry
}

/**
 * A histogram of durations in a registry of prom-client. Its own takes 1.5 µs for each value, which is 3 % of an answer from
 * memory: it sorts and joins the labels each time.
 */
export class DurationHistogram {
  readonly #options: DurationHistogramOptions
  readonly #series = new Map<string, Series>()

  constructor(options: DurationHistogramOptions) {
    this.#options = options
    const metric = { name: options.name, get: () => this.#read(), reset: () => this.#series.clear() }
    options.metrics.registerMetric(metric as unknown as Metric)
  }

  /**
   * Adds a duration in milliseconds to a series.
   * @param key identifies the series @param labels its labels, for the first duration of a series
   */
  observe(key: string, labels: () => Record<string, string>, ms: number): void {
    const series = this.#series.get(key) ?? this.open(key, labels())
    const seconds = ms / 1000
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++
    series.counts[bucket] = (series.counts[bucket] as number) + 1
    series.seconds += seconds
  }

  /** Starts a series, so that it is there before its first duration. */
  open(key: string, labels: Record<string, string>): Series {
    const series = { labels, counts: Array(BUCKETS.length + 1).fill(0), seconds: 0 }
    this.#series.set(key, series)
    return series
  }

  async #read() {
    const { name, help } = this.#options
    const values = [...this.#series.values()].flatMap(({ labels, counts, seconds }) => {
      let sum = 0
      const buckets = counts.map((count, i) => {
        sum += count
        return { metricName: `${name}_bucket`, labels: { ...labels, le: BUCKETS[i] ?? '+Inf' }, value: sum }
      })
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: seconds },
        { metricName: `${name}_count`, labels, value: sum },
      ]
    })
    return { name, help, type: 'histogram', aggregator: 'sum', values }
  }
}
