import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort, isInstalled } from '../fire/redis-server.ts'
import { command, parsed } from '../support/command-line.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { loadSample } from '../support/sample.ts'

const run = promisify(execFile)
const DEPLOY = join(import.meta.dirname, '../../src/deploy')
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8')
const hasPrometheus = isInstalled('promtool') && isInstalled('prometheus')

let gateway: Gateway
const scrape = async () => (await gateway.get('/metrics')).text()

beforeAll(async () => {
  gateway = await startGateway()
  await loadSample(gateway, { users: 5, days: 3 })
})
afterAll(() => gateway.close())

describe('the alerts and the dashboard', () => {
  const alerts = [...read('prometheus-alerts.yml').matchAll(/- alert: (\w+)/g)].map(
    ([, name]) => name as string,
  )

  test('use only metrics that there are', async () => {
    const text = await scrape()
    const scraped = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name as string))
    for (const file of ['prometheus-alerts.yml', 'grafana-dashboard.json', 'runbook.md']) {
      const used = new Set(read(file).match(/\b(?:gateway|nodejs|process)_[a-z0-9_]+[a-z0-9]\b/g))
      const names = [...used].map((name) => name.replace(/_(bucket|count|sum)$/, ''))
      expect(names.filter((name) => !scraped.has(name))).toEqual([])
      expect(names.length).toBeGreaterThan(0)
    }
  })

  test('each alert has its section in the runbook', () => {
    const sections = [...read('runbook.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
    expect(sections).toEqual(alerts)
    for (const name of alerts)
      expect(read('prometheus-alerts.yml')).toContain(`runbook: runbook.md#${name.toLowerCase()}\n`)
  })
})

describe.skipIf(!hasPrometheus)('Prometheus', () => {
  test('takes the alerts and the names of the metrics', async () => {
    await run('promtool', ['check', 'rules', join(DEPLOY, 'prometheus-alerts.yml')])
    await run('promtool', ['check', 'config', join(DEPLOY, 'prometheus.yml')])
    const child = spawn('promtool', ['check', 'metrics'])
    let told = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (told += data))
    child.stdin.end(await scrape())
    await once(child, 'close')
    expect(told.split('\n').filter((line) => line.startsWith('gateway_'))).toEqual([])
  })

  test('scrapes with a key by the lines that prometheus.yml has as comments', async () => {
    const on = await startGateway({ on: gateway, env: { METRICS_KEY: 'required' } })
    const directory = mkdtempSync(join(tmpdir(), 'prometheus-'))
    const keyFile = join(directory, 'gateway.key')
    const env = { DATABASE_URL: on.deps.config.DATABASE_URL ?? '' }
    const added = await command(['keys', 'add', 'prometheus', '--scope', 'metrics', '--json'], env)
    writeFileSync(keyFile, `${parsed(added.out)[0].secret}\n`)
    const config = read('prometheus.yml')
      .replace(/^ {4}# (authorization:|.*credentials_file:)/gm, '    $1')
      .replace('scrape_interval: 15s', 'scrape_interval: 1s\n  scrape_timeout: 1s')
      .replace('rule_files:\n  - prometheus-alerts.yml\n', '')
      .replace('127.0.0.1:4000', new URL(on.base).host)
    const opened = config.replace('/etc/prometheus/gateway.key', keyFile)
    const free = await freePort()
    const path = join(directory, 'prometheus.yml')
    writeFileSync(path, opened)
    await run('promtool', ['check', 'config', path])
    const prometheus = spawn(
      'prometheus',
      [
        ...['--config.file', path, '--storage.tsdb.path', `${directory}/data`],
        ...['--web.listen-address', `127.0.0.1:${free}`],
      ],
      { stdio: 'ignore' },
    )
    const target = () =>
      fetch(`http://127.0.0.1:${free}/api/v1/targets`)
        .then((answer) => answer.json())
        .then(({ data }: any) => data.activeTargets[0])
        .catch(() => undefined)
    const until = (is: (target: any) => boolean) =>
      vi.waitUntil(async () => is((await target()) ?? {}), { timeout: 30_000, interval: 200 })
    try {
      await until(({ health }) => health === 'up')
      writeFileSync(path, opened.replace(/^ {4}authorization:\n.*\n/m, ''))
      prometheus.kill('SIGHUP')
      await until(({ health, lastError }) => health === 'down' && lastError.includes('401'))
    } finally {
      prometheus.kill('SIGKILL')
      await once(prometheus, 'close')
      rmSync(directory, { recursive: true, force: true })
      await on.close()
    }
  })

  test('scrapes a gateway, evaluates the alerts, and sees that the gateway is gone', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'prometheus-'))
    const { port } = new URL(gateway.base)
    const free = await freePort()
    writeFileSync(
      join(directory, 'prometheus.yml'),
      read('prometheus.yml')
        .replace(
          'scrape_interval: 15s',
          'scrape_interval: 1s\n  scrape_timeout: 1s\n  evaluation_interval: 1s',
        )
        .replace('127.0.0.1:4000', `127.0.0.1:${port}`),
    )
    writeFileSync(
      join(directory, 'prometheus-alerts.yml'),
      read('prometheus-alerts.yml').replace(
        /expr: up\{job="gateway"\} == 0\n\s+for: 2m/,
        'expr: up{job="gateway"} == 0',
      ),
    )
    const prometheus = spawn(
      'prometheus',
      [
        `--config.file=${directory}/prometheus.yml`,
        `--storage.tsdb.path=${directory}/data`,
        `--web.listen-address=127.0.0.1:${free}`,
      ],
      { stdio: 'ignore' },
    )
    const api = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${free}/api/v1/${path}`).catch(() => undefined)
      return response?.ok ? ((await response.json()) as any).data : undefined
    }
    const value = async (query: string) =>
      (await api(`query?query=${encodeURIComponent(query)}`))?.result[0]?.value[1] as
        | string
        | undefined
    const until = (is: () => Promise<unknown>) =>
      vi.waitUntil(is, { timeout: 30_000, interval: 200 })
    try {
      await until(async () => (await value('up{job="gateway"}')) === '1')
      await gateway.get('/points/leaderboard')
      const count = 'gateway_http_request_duration_seconds_count{route="/points/leaderboard"}'
      await until(async () => (await value(count)) === '1')
      await until(async () =>
        (await api('rules'))?.groups[0]?.rules.every((rule: any) => rule.health === 'ok'),
      )
      expect((await api('rules')).groups[0].rules.length).toBeGreaterThan(10)
      expect((await api('alerts')).alerts.filter((one: any) => one.state === 'firing')).toEqual([])
      const dashboard = JSON.parse(read('grafana-dashboard.json'))
      for (const { expr } of dashboard.panels.flatMap((panel: any) => panel.targets)) {
        const query = expr.replaceAll('$job', 'gateway').replaceAll('$__rate_interval', '1m')
        expect(await api(`query?query=${encodeURIComponent(query)}`), query).toBeDefined()
      }
      await gateway.close()
      await until(async () =>
        (await api('alerts'))?.alerts.some(
          (one: any) => one.labels.alertname === 'GatewayDown' && one.state === 'firing',
        ),
      )
    } finally {
      prometheus.kill('SIGKILL')
      await once(prometheus, 'close')
      rmSync(directory, { recursive: true, force: true })
      gateway = await startGateway()
    }
  })
})
