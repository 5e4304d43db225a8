#!/usr/bin/env node
import { fail } from './cli/command.ts'
import { createProgram } from './cli/program.ts'

// A reader that leaves (`| head`) loses text, not work. Text that cannot be written for another
// reason is a failure.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || process.exitCode) return
    fail(new Error(`The output cannot be written (${error.code}).`))
  })

const args = process.argv.slice(2)
await createProgram()
  .parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' })
  .catch(fail)
// A timer left by a library must not keep the process alive. A text that could not be written fails
// before.
process.stdout.write('', () => setImmediate(() => process.exit()))
