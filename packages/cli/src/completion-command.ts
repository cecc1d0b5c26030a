/** `truecast completion`: a completion script for a shell, generated from the commands and their flags. */
import { Argument, type Command, type Option } from 'commander';
import type { CommandContext } from './flags/flag-values.ts';
import { printText } from './terminal/print.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A command's path below the program, and what can follow it. */
interface Level {
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly Option[];
}

export function addCompletionCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('completion')
    .description('Print a completion script for bash, zsh or fish.')
    .addArgument(new Argument('<shell>', 'the shell').choices([...SHELLS]))
    .addHelpText(
      'after',
      `
Examples:
  $ truecast completion bash >> ~/.bashrc
  $ truecast completion zsh > "\${fpath[1]}/_truecast"
  $ truecast completion fish > ~/.config/fish/completions/truecast.fish`,
    )
    .action((shell: Shell) =>
      finish(async () => printText(SCRIPTS[shell](levelsOf(program, '')), terminal), {}),
    );
}

function levelsOf(command: Command, path: string): readonly Level[] {
  const commands = command.commands.map((each) => ({ name: each.name(), about: each.description() }));
  const below = command.commands.flatMap((each) => levelsOf(each, `${path} ${each.name()}`.trim()));
  return [{ path, commands, options: command.options }, ...below];
}

const SCRIPTS: Readonly<Record<Shell, (levels: readonly Level[]) => string>> = {
  bash: (levels) => `_truecast() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) path="\${path:+$path }$word" ;; esac
  done
  local words=""
  case "$path" in
${bashCases(levels)}
  esac
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _truecast truecast
`,
  zsh: (levels) => `#compdef truecast
autoload -U +X bashcompinit && bashcompinit
${SCRIPTS.bash(levels)}`,
  fish: (levels) => `${levels.flatMap(fishLines).join('\n')}\n`,
};

/** The longest path comes first, because a path also matches with arguments after it. */
function bashCases(levels: readonly Level[]): string {
  return [...levels]
    .toSorted((one, other) => other.path.length - one.path.length)
    .map(({ path, commands, options }) => {
      const words = [...commands.map(({ name }) => name), ...options.map(({ long }) => long ?? ''), '--help'];
      const pattern = path === '' ? '*' : `"${path}"|"${path} "*`;
      return `    ${pattern}) words="${words.join(' ')}" ;;`;
    })
    .join('\n');
}

function fishLines({ path, commands, options }: Level): readonly string[] {
  const seen = path.split(' ').filter((word) => word !== '');
  const inside = seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
  const names = commands.map(({ name }) => name).join(' ');
  const none = names === '' ? '' : `not __fish_seen_subcommand_from ${names}`;
  const where = [inside, none].filter((part) => part !== '').join('; and ');
  return [
    ...commands.map(
      ({ name, about }) => `complete -c truecast -f -n ${quote(where)} -a ${name} -d ${quote(about)}`,
    ),
    ...(path === '' ? [] : options).map(
      ({ long, description }) =>
        `complete -c truecast -n ${quote(inside)} -l ${(long ?? '').slice(2)} -d ${quote(description)}`,
    ),
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
