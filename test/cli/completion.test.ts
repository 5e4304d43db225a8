import { execFileSync } from 'node:child_process'
import { beforeAll, expect, test } from 'vitest'
import { isInstalled } from '../fire/redis-server.ts'
import { command } from '../support/command-line.ts'

let script: string
beforeAll(async () => {
  script = (await command(['completion', 'bash'], {})).out
})

/** What bash offers after a line, whose last word is being written. */
function offered(line: string): string[] {
  const words = line.split(' ').map((word) => `'${word}'`)
  const complete = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
    _lending_graph_gateway; printf '%s\n' "\${COMPREPLY[@]}"`
  const out = execFileSync('bash', ['--norc', '-c', `${script}\n${complete}`], { encoding: 'utf8' })
  return out.split('\n').filter((word) => word !== '')
}

test.each([
  ['lending-graph-gateway re', ['resync', 'rebuild']],
  ['lending-graph-gateway resync --d', ['--date', '--dry-run']],
  [
    'lending-graph-gateway multipliers ',
    ['set', 'revoke', 'date', 'undo', 'history', 'help', '--help'],
  ],
  ['lending-graph-gateway multipliers set --deposit-', ['--deposit-a', '--deposit-b']],
  [
    'lending-graph-gateway runs --kind ',
    ['import', 'manualupdate', 'resync', 'update', 'distribution'],
  ],
  ['lending-graph-gateway runs --kind import --st', ['--status']],
  ['lending-graph-gateway import runs --js', ['--json']],
  ['lending-graph-gateway import ./da', []],
  ['lending-graph-gateway completion b', ['bash']],
])('%s', (line, words) => {
  expect(offered(line)).toEqual(words)
})

test('bash completes the name of the command by it', () => {
  const out = execFileSync(
    'bash',
    ['--norc', '-c', `${script}\ncomplete -p lending-graph-gateway`],
    {
      encoding: 'utf8',
    },
  )
  expect(out).toBe('complete -o default -F _lending_graph_gateway lending-graph-gateway\n')
})

for (const shell of ['zsh', 'fish']) {
  const isThere = isInstalled(shell)
  test.skipIf(!isThere)(
    `${shell} understands its script${isThere ? '' : ` (skipped: no ${shell})`}`,
    async () => {
      const { out } = await command(['completion', shell], {})
      execFileSync(shell, ['-n', '-c', out])
    },
  )
}

test('another shell is refused', async () => {
  const { code, err } = await command(['completion', 'tcsh'], {})
  expect(code).toBe(2)
  expect(err).toContain('bash, zsh, fish')
})
