/** A gateway's process with its schedule alone, whose clock the parent sets by IPC. The schedule begins when it has the time. */
const modules = await import(new URL('../../../dist/modules.js', import.meta.url).href)
const { readConfig } = modules['src/config.ts']
const { openDeps } = modules['src/deps.ts']
const { startSchedule } = modules['src/jobs/schedule.ts']

let time
const deps = await openDeps(readConfig(process.env))
process.on('message', ({ now }) => {
  const isFirst = time === undefined
  time = new Date(now)
  if (isFirst) startSchedule({ ...deps, now: () => time }, { everyMs: 25 })
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
