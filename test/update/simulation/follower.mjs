/** A gateway's process with its schedule alone, whose clock the parent sets by IPC. */
import { readConfig } from '../../../src/config.ts'
import { openDeps } from '../../../src/deps.ts'
import { startSchedule } from '../../../src/jobs/schedule.ts'

let time = new Date(0)
const deps = await openDeps(readConfig(process.env))
startSchedule({ ...deps, now: () => time }, { everyMs: 25 })
process.on('message', ({ now }: { now: number }) => {
  time = new Date(now)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
