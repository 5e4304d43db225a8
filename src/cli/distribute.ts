import type { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { distribute } from '../db/topology/distribute.ts'
import { print, withDeps } from './command.ts'

export function addDistribute(program: Command): void {
  program
    .command('distribute')
    .description('spread the rows of users over the workers of a Citus cluster')
    .action(() =>
      withDeps(
        async ({ config, storeName }) => {
          const url = config.DATABASE_DIRECT_URL ?? config.DATABASE_URL
          if (url === undefined)
            throw new ConfigError(
              'distribute needs DATABASE_URL: the coordinator of a Citus cluster.',
            )
          const { workers, done } = await distribute(url)
          const where = workers === 1 ? '1 worker' : `${workers} workers`
          if (!done) return print(`The rows of users of the ${storeName} are on ${where} already.`)
          print(`The rows of users of the ${storeName} are on ${where} now. Restart its gateways.`)
        },
        { MIGRATE: 'on' },
      ),
    )
}
