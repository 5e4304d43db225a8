import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { command, start } from '../support/command-line.ts'
import { directoryInMemory } from '../support/memory.ts'
import { ANN, jsonLines, POOL, pool, position } from '../support/one-pool.ts'

const ten = position(ANN, 10)

describe('the command line', () => {
  let dir: string
  const inDir = (more: Record<string, string> = {}) => ({ DATA_DIR: join(dir, 'store'), ...more })
  const gateway = (args: string[], more?: Record<string, string>) => command(args, inDir(more))
  const freePort = async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    return port
  }
  const serve = async (port: number, more: Record<string, string> = {}) => {
    const server = start(['serve'], inDir({ PORT: String(port), ...more }))
    await vi.waitFor(() => expect(server.printed()).toContain('Health'), 30_000)
    return server
  }
  const dataset = async (name: string, files: Record<string, object[]>) => {
    const path = await mkdtemp(join(dir, name))
    for (const [file, rows] of Object.entries(files))
      await writeFile(join(path, `${file}.jsonl`), jsonLines(rows))
    return path
  }
  const totalPoints = async (port: number) =>
    (await fetch(`http://127.0.0.1:${port}/points/userpoints`)).json()

  beforeAll(async () => {
    dir = await directoryInMemory('gateway-cli-')
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  test('--help lists the commands', async () => {
    const { code, out } = await gateway(['--help'])
    expect(code).toBe(0)
    for (const command of ['serve', 'import', 'manualupdate', 'resync', 'migrate'])
      expect(out).toContain(command)
  })

  test('unknown commands, missing arguments and paths that are no directory fail with a sentence', async () => {
    for (const args of [
      ['fly'],
      ['import'],
      ['resync', '--date', 'yesterday'],
      ['import', join(dir, 'nowhere')],
    ]) {
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
      expect(server.printed()).toContain('The store is empty. Load data while this server runs')
      expect(server.printed()).not.toMatch(/\bcurl\b|0x/)
      const pools = await dataset('pools', {
        pools: [pool],
        multipliers: [
          {
            poolAddress: POOL,
            deposit_tokenA: 1,
            deposit_tokenB: 0,
            borrow_tokenA: 0,
            borrow_tokenB: 0,
          },
        ],
      })
      expect(await gateway(['import', pools])).toMatchObject({ code: 0 })
      expect(await totalPoints(port)).toEqual({ totalPoints: 0 })

      const bad = await dataset('bad', { positions: [ten, { ...ten, userAddress: 'me' }] })
      const refused = await gateway(['import', bad])
      expect(refused.code).not.toBe(0)
      expect(refused.err).toMatch(/positions\.jsonl:2: userAddress/)
      expect(await totalPoints(port)).toEqual({ totalPoints: 0 })

      const good = await dataset('good', { positions: [ten] })
      expect(await gateway(['import', good, '--check'])).toMatchObject({ code: 0, err: '' })
      expect(await totalPoints(port)).toEqual({ totalPoints: 0 })
      expect(await gateway(['import', good])).toMatchObject({ code: 0 })
      expect(await totalPoints(port)).toEqual({ totalPoints: 10 })

      expect(
        await gateway([
          'import',
          await dataset('more', {
            multipliers: [
              {
                poolAddress: POOL,
                deposit_tokenA: 3,
                deposit_tokenB: 0,
                borrow_tokenA: 0,
                borrow_tokenB: 0,
              },
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
      const twice = await dataset('twice', { positions: [{ ...ten, aSuppliedAmountUsd: 20 }] })
      expect(
        await gateway(['manualupdate', '--date', '2026-03-02'], { POSITIONS_SOURCE: twice }),
      ).toMatchObject({
        code: 0,
      })
      expect(await totalPoints(port)).toEqual({ totalPoints: 60 })
      expect((await gateway(['resync', '--date', '2999-01-01'])).code).not.toBe(0)

      const second = await gateway(['serve'], { PORT: String(port) })
      expect(second.code).not.toBe(0)
      expect(second.err).toContain(`PORT ${port}`)
      expect(await totalPoints(port)).toEqual({ totalPoints: 60 })
    } finally {
      expect(await server.stop('SIGTERM')).toBe(0)
    }
  })

  test('a server that was killed leaves a store that the next one serves', async () => {
    const port = await freePort()
    await (await serve(port)).stop('SIGKILL')
    const next = await serve(port)
    expect(await totalPoints(port)).toEqual({ totalPoints: 60 })
    const commands = next.printed().match(/^ {2}curl .*(\n {4}.*)?/gm) ?? []
    expect(commands).toHaveLength(2)
    for (const line of commands) {
      expect(line).toContain(ANN)
      const answer = execFileSync('bash', ['-c', `${line} -sf`], { encoding: 'utf8' })
      expect(answer).toMatch(/"(points|totalPoints)":60[,}]/)
    }
    expect(next.printed()).not.toContain('The store is empty')
    expect(await next.stop('SIGINT')).toBe(0)
  })
})
