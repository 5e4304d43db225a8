import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { PUBLISHED } from '../../src/build/package.ts'
import { readConfig, variables } from '../../src/config.ts'
import { ROOT } from '../docs/markdown.ts'

/** What deploys the gateway agrees with it: settings, paths, arguments, times. */

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const compose = parse(read('compose.yaml'))
const objects = parseAllDocuments(read('src/deploy/kubernetes.yaml')).map((document) => {
  expect(document.errors).toEqual([])
  return document.toJS()
})
const objectOf = (kind: string) => objects.find((one) => one.kind === kind)
const pod = objectOf('Deployment').spec.template.spec
const [gateway] = pod.containers
const unit = read('src/deploy/lending-graph-gateway.service')
const dockerfile = read('Dockerfile')

/** The arguments of Node in `npm start`. */
const [, nodeArguments = 'none'] =
  /exec node (.*) dist\/main\.js/.exec(manifest.scripts.start) ?? []
/** What a gateway takes to end after SIGTERM. */
const SHUTDOWN_SECONDS = readConfig({}).SHUTDOWN_TIMEOUT_MS / 1000 + 2

const isSetting = (name: string) => name in variables.shape

describe('compose.yaml', () => {
  const { gateway, prometheus, grafana, ...others } = compose.services
  const configOf = (name: string) => parse(compose.configs[name].content)
  const mounts = (service: { volumes: string[] }) =>
    service.volumes.map((volume) => volume.split(':'))

  test('sets settings of the gateway, without a secret', () => {
    expect(Object.keys(gateway.environment).filter((name) => !isSetting(name))).toEqual([])
    const written = Object.entries<string>(gateway.environment).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+(:[-?][^}]*)?\}/g, ''),
    ])
    expect(Object.fromEntries(written)).toEqual({
      DATABASE_URL: 'postgres://gateway:@postgres:5432/gateway',
      REDIS_URL: 'redis://redis:6379',
      ADMIN_TOKEN: '',
      SAMPLE_DATA: '',
    })
    expect(gateway.environment.SAMPLE_DATA).toBe(`\${SAMPLE_DATA:-on}`)
  })

  test('starts the gateway after what it needs, and lets it end', () => {
    for (const [name, service] of Object.entries<any>(others)) {
      expect(service.healthcheck.test.length, name).toBeGreaterThan(1)
      expect(gateway.depends_on[name]).toEqual({ condition: 'service_healthy' })
    }
    expect(Number.parseInt(gateway.stop_grace_period, 10)).toBeGreaterThan(SHUTDOWN_SECONDS)
    for (const service of Object.values<any>(compose.services))
      expect(service.restart).toBe('unless-stopped')
  })

  test('Prometheus scrapes the gateway and has its alerts, as the file of the same name', () => {
    const file = parse(read('src/deploy/prometheus.yml'))
    const [job] = file.scrape_configs
    const port = String(readConfig({}).PORT)
    expect(job.static_configs).toEqual([{ targets: [`127.0.0.1:${port}`] }])
    const here = { ...job, static_configs: [{ targets: [`gateway:${port}`] }] }
    expect(configOf('prometheus')).toEqual({ ...file, scrape_configs: [here] })
    expect(prometheus.configs).toEqual([
      { source: 'prometheus', target: '/etc/prometheus/prometheus.yml' },
    ])
    const [alerts] = mounts(prometheus)
    expect(alerts).toEqual([
      './src/deploy/prometheus-alerts.yml',
      `/etc/prometheus/${file.rule_files[0]}`,
      'ro',
    ])
  })

  test('Grafana opens with the dashboard, which reads that Prometheus', () => {
    const [[file, path = '']] = mounts(grafana) as [string[]]
    expect(JSON.parse(read(file as string)).title).toBeTruthy()
    expect(grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(path)
    const [provider] = configOf('grafana-dashboards').providers
    expect(path.startsWith(`${provider.options.path}/`)).toBe(true)
    const [source] = configOf('grafana-datasource').datasources
    expect(source).toMatchObject({
      type: 'prometheus',
      url: 'http://prometheus:9090',
      isDefault: true,
    })
    expect(grafana.configs.map(({ source }: { source: string }) => source)).toEqual([
      'grafana-datasource',
      'grafana-dashboards',
    ])
  })

  test('each port is open on this machine alone', () => {
    for (const { ports = [] } of Object.values<any>(compose.services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  })
})

describe('kubernetes.yaml', () => {
  test('sets settings that are valid', () => {
    const { data } = objectOf('ConfigMap')
    expect(Object.keys(data).filter((name) => !isSetting(name))).toEqual([])
    expect(readConfig(data)).toMatchObject({ MIGRATE: 'off', TRUST_PROXY: 1 })
    expect(
      [...gateway.env, ...pod.initContainers[0].env]
        .map(({ name }) => name)
        .filter((name) => !isSetting(name)),
    ).toEqual([])
  })

  test('selects its pods, on the port that they listen on', () => {
    const { labels } = objectOf('Deployment').spec.template.metadata
    for (const kind of ['Deployment', 'PodDisruptionBudget'])
      expect(objectOf(kind).spec.selector.matchLabels).toEqual(labels)
    expect(objectOf('Service').spec.selector).toEqual(labels)
    expect(objectOf('Service').spec.ports[0].targetPort).toBe(gateway.ports[0].name)
    const { PORT, METRICS_PORT } = readConfig(objectOf('ConfigMap').data)
    expect(gateway.ports.map((port: { containerPort: number }) => port.containerPort)).toEqual([
      PORT,
      METRICS_PORT,
    ])
  })

  test('probes what says the right thing, and waits for the end', () => {
    expect(gateway.livenessProbe.httpGet.path).toBe('/livez')
    expect(gateway.startupProbe.httpGet.path).toBe('/livez')
    expect(gateway.readinessProbe.httpGet.path).toBe('/readyz')
    const [, before] = gateway.lifecycle.preStop.exec.command
    const shutdown = Number(objectOf('ConfigMap').data.SHUTDOWN_TIMEOUT_MS) / 1000 + 2
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(before) + shutdown)
  })
})

test('the unit starts the program as npm start does, and waits for its end', () => {
  expect(unit).toContain(`/usr/bin/node ${nodeArguments} /opt/`)
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []
  expect(Number(seconds)).toBeGreaterThan(SHUTDOWN_SECONDS)
  const names = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => name as string)
  expect(names.filter((name) => !isSetting(name) && name !== 'NODE_ENV')).toEqual([])
})

test('the image starts the program as npm start does', () => {
  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? []
  expect(JSON.parse(entry)).toEqual(['node', ...nodeArguments.split(' '), 'dist/main.js'])
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, files = '']) =>
    files.split(' '),
  )
  const kept = read('.dockerignore').match(/(?<=^!).*/gm) ?? []
  for (const file of copied.filter((name) => name !== '.'))
    expect(
      kept.some((name) => file.startsWith(name)),
      file,
    ).toBe(true)
  for (const file of PUBLISHED.filter((name) => name !== 'dist'))
    expect(
      kept.some((name) => file.startsWith(name)),
      file,
    ).toBe(true)
})

test('the workflow runs what CI runs, on every line of Node.js that is maintained', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml'))
  const { strategy, container, steps } = jobs.test
  expect(strategy.matrix.node).toEqual([20, 22, 24])
  expect(container).toContain('matrix.node')
  expect(steps.map(({ run }: { run?: string }) => run)).toContain('.ci/run')
})

test('CI runs the built program under each version of Node.js that the README lists', () => {
  const [, listed = '', newest] =
    /under Node\.js ((?:\d+, )*\d+) and (\d+)\./.exec(read('README.md')) ?? []
  const [, others = ''] = /^for version in ([\d ]+); do$/m.exec(read('.ci/run')) ?? []
  const [, oldest] = /^>=(\d+)\./.exec(manifest.engines.node) ?? []
  expect([...listed.split(', '), newest]).toEqual([oldest, ...others.split(' ')])
})

test('CI runs the suite without a locale, and without any setting', () => {
  expect(read('.ci/run')).toMatch(/^env -i PATH="\$PATH:\S+" HOME="\S+" CI=true npm test$/m)
})
