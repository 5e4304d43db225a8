#!/usr/bin/env node
import { fail } from './cli/command.ts'
import { createProgram } from './cli/program.ts'

// A closed pipe (`| head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const args = process.argv.slice(2)
await createProgram()
  .parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' })
  .catch(fail)
// A timer left by a library must not keep the process alive.
process.stdout.write('', () => process.exit())
