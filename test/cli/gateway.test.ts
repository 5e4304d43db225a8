import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '../../dist/main.js')
const POOL = `0x${'1'.repeat(40)}`
const USER = `0x${'a'.repeat(40)}`

const pool = {
  id: POOL,
  chainId: 1,
  marketId: 7,
  name: 'S/USDC',
  asset_1_address: `0x${'2'.repeat(40)}`,
  asset_1_name: 'S',
  asset_1_symbol: 'S',
  asset_2_address: `0x${'3'.repeat(40)}`,
  asset_2_name: 'USDC',
  asset_2_symbol: 'USDC',
  createdTimestamp: 1,
  interestLastUpdated: 1,
  unit_1_id: `0x${'4'.repeat(40)}`,
  unit_2_id: `0x${'5'.repeat(40)}`,
}
const position = {
  userAddress: USER,
  marketAddress: POOL,
  distributionDate: '2026-03-02T00:00:00.000Z',
  aTokenAddress: pool.asset_1_address,
  aTokenSymbol: 'S',
  aTokenPrice: 1,
  aSuppliedAmount: 10,
  aSuppliedAmountUsd: 10,
  aProtectedSuppliedAmount: 0,
  aProtectedSuppliedAmountUsd: 0,
  aBorrowedAmount: 0,
  aBorrowedAmountUsd: 0,
  bTokenAddress: pool.asset_2_address,
  bTokenSymbol: 'USDC',
  bTokenPrice: 1,
  bSuppliedAmount: 0,
  bSuppliedAmountUsd: 0,
  bProtectedSuppliedAmount: 0,
  bProtectedSuppliedAmountUsd: 0,
  bBorrowedAmount: 0,
  bBorrowedAmountUsd: 0,
}

interface Outcome {
  code: number
  out: string
  err: string
}

describe('the command line', () => {
  let dir: string
  const env = (more: Record<string, string> = {}) => {
    const { PATH = '', HOME = '' } = process.env
    return { PATH, HOME, DATA_DIR: join(dir, 'store'), LOG_LEVEL: 'silent', ...more }
  }
  const gateway = (args: string[], more: Record<string, string> = {}) =>
    new Promise<Outcome>((resolve) => {
      execFile(process.execPath, [MAIN, ...args], { env: env(more) }, (error, out, err) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
      )
    })
  const freePort = async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    return port
  }
  const serve = async (port: number, more: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: env({ PORT: String(port), ...more }),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let out = ''
    child.stdout.on('data', (data) => {
      out += data
    })
    const deadline = Date.now() + 30_000
    while (!out.includes('Health')) {
      if (Date.now() > deadline || child.exitCode !== null) throw new Error(`the server did not start: ${out}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return child
  }
  const stop = async (child: ChildProcess, signal: NodeJS.Signals) => {
    const ended = once(child, 'exit')
    child.kill(signal)
    return (await ended)[0] as number | null
  }
  const dataset = async (name: string, files: Record<string, object[]>) => {
    const path = await mkdtemp(join(dir, name))
    for (const [file, rows] of Object.entries(files))
      await writeFile(join(path, `${file}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    return path
  }
  const totalPoints = async (port: number) => (await fetch(`http://127.0.0.1:${port}/points/userpoints`)).json()

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gateway-cli-'))
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  test('--help lists the commands', async () => {
    const { code, out } = await gateway(['--help'])
    expect(code).toBe(0)
    for (const command of ['serve', 'import', 'manualupdate', 'resync', 'migrate']) expect(out).toContain(command)
  })

  test('a wrong setting is one clear line, before anything starts', async () => {
    for (const [name, value] of [
      ['PORT', 'eighty'],
      ['DATABASE_URL', 'mysql://x'],
      ['ADMIN_TOKEN', 'short'],
      ['POINTS_BASE_DEPOSIT', '-1'],
      ['SAMPLE_DATA', 'yes'],
    ] as const) {
      const { code, err } = await gateway(['serve'], { [name]: value, DATA_DIR: join(dir, 'never') })
      expect(code).not.toBe(0)
      expect(err.trim().split('\n')).toHaveLength(1)
      expect(err).toContain(name)
    }
    expect(existsSync(join(dir, 'never'))).toBe(false)
  })

  test('unknown commands, missing arguments and directories that are none fail with a sentence', async () => {
    for (const args of [['fly'], ['import'], ['resync', '--date', 'yesterday'], ['import', join(dir, 'nowhere')]]) {
      const { code, err } = await gateway(args)
      expect(code, args.join(' ')).not.toBe(0)
      expect(err).not.toMatch(/\n\s+at /)
      expect(err.length).toBeGreaterThan(10)
    }
  })

  test('import, resync and manualupdate while a server runs on the same embedded store; it shows the change at once', async () => {
    const port = await freePort()
    const server = await serve(port)
    try {
      const pools = await dataset('pools', {
        pools: [pool],
        multipliers: [{ poolAddress: POOL, deposit_tokenA: 1, deposit_tokenB: 0, borrow_tokenA: 0, borrow_tokenB: 0 }],
      })
      expect(await gateway(['import', pools])).toMatchObject({ code: 0 })
      expect(await totalPoints(port)).toEqual({ totalPoints: 0 })

      const bad = await dataset('bad', { positions: [position, { ...position, userAddress: 'me' }] })
      const refused = await gateway(['import', bad])
      expect(refused.code).not.toBe(0)
      expect(refused.err).toMatch(/positions\.jsonl:2: userAddress/)
      expect(await totalPoints(port)).toEqual({ totalPoints: 0 })

      const good = await dataset('good', { positions: [position] })
      expect(await gateway(['import', good])).toMatchObject({ code: 0 })
      expect(await totalPoints(port)).toEqual({ totalPoints: 10 })

      expect(
        await gateway([
          'import',
          await dataset('more', {
            multipliers: [
              { poolAddress: POOL, deposit_tokenA: 3, deposit_tokenB: 0, borrow_tokenA: 0, borrow_tokenB: 0 },
            ],
          }),
        ]),
      ).toMatchObject({ code: 0 })
      expect(await totalPoints(port)).toEqual({ totalPoints: 10 })
      const resynced = await gateway(['resync', '--date', '2026-03-02'])
      expect(resynced).toMatchObject({ code: 0 })
      expect(resynced.out).toContain('2026-03-02: 1 positions, 30 points')
      expect(await totalPoints(port)).toEqual({ totalPoints: 30 })

      expect((await gateway(['manualupdate', '--date', '2026-03-02'])).code).not.toBe(0)
      const twice = await dataset('twice', { positions: [{ ...position, aSuppliedAmountUsd: 20 }] })
      expect(await gateway(['manualupdate', '--date', '2026-03-02'], { POSITIONS_SOURCE: twice })).toMatchObject({
        code: 0,
      })
      expect(await totalPoints(port)).toEqual({ totalPoints: 60 })
      expect((await gateway(['resync', '--date', '2999-01-01'])).code).not.toBe(0)

      const second = await gateway(['serve'], { PORT: String(port) })
      expect(second.code).not.toBe(0)
      expect(second.err).toContain(`PORT ${port}`)
      expect(await totalPoints(port)).toEqual({ totalPoints: 60 })
    } finally {
      expect(await stop(server, 'SIGTERM')).toBe(0)
    }
  })

  test('a server that was killed leaves a store that the next one serves', async () => {
    const port = await freePort()
    await stop(await serve(port), 'SIGKILL')
    const next = await serve(port)
    expect(await totalPoints(port)).toEqual({ totalPoints: 60 })
    expect(await stop(next, 'SIGINT')).toBe(0)
  })
})
