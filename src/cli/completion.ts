import { Argument, type Command } from 'commander'
import { printText } from './command.ts'

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script by which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) =>
      printText(SCRIPTS[shell](program.name(), wordsByPath(program))),
    )
}

/**
 * The words that may follow: by the path of a command, such as ` multipliers set`, also with an
 * option that has choices.
 */
type Words = Map<string, string[]>

function wordsByPath(command: Command, path = '', words: Words = new Map()): Words {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const options = help.visibleOptions(command)
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  words.set(path, [
    ...commands.map((one) => one.name()),
    ...choices,
    ...options.flatMap(({ long }) => long ?? []),
  ])
  for (const { long, argChoices } of options)
    if (argChoices) words.set(`${path} ${long}`, argChoices)
  for (const one of commands) wordsByPath(one, `${path} ${one.name()}`, words)
  return words
}

const SCRIPTS = { bash, zsh, fish }

function bash(name: string, words: Words): string {
  const paths = [...words.keys()].filter((path) => path !== '').map((path) => `'${path}'`)
  const cases = [...words].map(([path, list]) => `    '${path}') words='${list.join(' ')}' ;;`)
  const complete = `_${name.replaceAll('-', '_')}`
  return `${complete}() {
  local path= option= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    option=
    case "$path \${COMP_WORDS[i]}" in
      *' --'*) option="$path \${COMP_WORDS[i]}" ;;
      ${paths.filter((path) => !path.includes(' --')).join(' | ')}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$option" in
    ${paths.filter((path) => path.includes(' --')).join(' | ')}) path=$option ;;
  esac
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F ${complete} ${name}`
}

function zsh(name: string, words: Words): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(name, words)}`
}

function fish(name: string, words: Words): string {
  const seen = (path: string) =>
    path
      .trim()
      .split(' ')
      .map((word) =>
        word === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${word}`,
      )
      .join('; and ')
  const lines = [...words].map(([path, list]) => {
    const [, command = '', option] = /^(.*?)(?: --(.+))?$/.exec(path) ?? []
    return option
      ? `complete -c ${name} -n '${seen(command)}' -l ${option} -x -a '${list.join(' ')}'`
      : `complete -c ${name} -n '${seen(command)}' -a '${list.join(' ')}'`
  })
  return lines.join('\n')
}
