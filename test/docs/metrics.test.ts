import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { ROOT } from './markdown.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.close())

/** The table of metrics is what a gateway has. `npm run generate` renews it. */
test('the table of metrics is up to date', async () => {
  const path = join(ROOT, 'src/deploy/metrics.md')
  const [before, after] = (await readFile(path, 'utf8')).split(
    /(?<=<!-- metrics -->\n\n).*(?=\n\n<!-- end -->)/s,
  )
  await expect(`${before}${await table()}${after}`).toMatchFileSnapshot(path)
})

async function table(): Promise<string> {
  // The duration of a request has its labels from the first one on.
  await gateway.get('/pools/all')
  let text = ''
  const scrape = async () => {
    text = await (await gateway.get('/metrics')).text()
    return text
  }
  await expect.poll(scrape).toContain('gateway_http_request_duration_seconds_count{')
  const rows = [...text.matchAll(/^# HELP (gateway_\w+) (.*)\n# TYPE \w+ (\w+)\n((?!#).*\n)*/gm)]
    .sort(([, a = ''], [, b = '']) => (a < b ? -1 : 1))
    .map(([samples, name = '', help = '', type = '']) => {
      const { labelNames = [] } = gateway.deps.metrics.getSingleMetric(name) as {
        labelNames?: string[]
      }
      const used = [...samples.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label)
      const labels = [...new Set([...labelNames, ...used])].filter((label) => label !== 'le')
      return [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', '), help]
    })
  return [['metric', 'type', 'labels', 'meaning'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
