import { parentPort } from 'node:worker_threads'

/** A thread that runs one command after another, as src/main.ts runs the one of a process. */

const modules = await import(new URL('../../dist/modules.js', import.meta.url).href)
const { createProgram } = modules['src/cli/program.ts']
const { fail } = modules['src/cli/command.ts']

const printed = { out: '', err: '' }
for (const [stream, name] of [
  [process.stdout, 'out'],
  [process.stderr, 'err'],
])
  stream.write = (text, ...more) => {
    printed[name] += text
    more.at(-1)?.()
    return true
  }

parentPort.on('message', async ({ args, env }) => {
  Object.assign(printed, { out: '', err: '' })
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv.splice(2, process.argv.length, ...args)
  process.exitCode = 0
  await createProgram().parseAsync(args, { from: 'user' }).catch(fail)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal)
  parentPort.postMessage({ code: process.exitCode, ...printed })
})
