/** A gateway's process with its schedule alone, whose clock the parent sets by IPC. */
const modules = await import(new URL('../../../dist/modules.js', import.meta.url).href)
const { readConfig } = modules['src/config.ts']
const { openDeps } = modules['src/deps.ts']
const { startSchedule } = modules['src/jobs/schedule.ts']

let time = new Date(0)
const deps = await openDeps(readConfig(process.env))
startSchedule({ ...deps, now: () => time }, { everyMs: 25 })
process.on('message', ({ now }) => {
  time = new Date(now)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
