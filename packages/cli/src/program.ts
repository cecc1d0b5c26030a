/** The commander program: the root command, its help, and the subcommands that the arguments need. */
import { Command, Help } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { COMMANDS, FRONT_COMMANDS } from './commands.ts';
import type { CommandContext } from './flags/flag-values.ts';
import { columnsFor } from './terminal/print.ts';

/** Below this width a description is printed under its flag. */
const MIN_HELP_COLUMNS = 60;
const MIN_WRAPPED_COLUMNS = 20;

/**
 * Creates the program. Loads only the named subcommand. For any other word it loads all of them,
 * for the help and for similar names. The help lists the usual commands, or with `--all` every one.
 */
export async function createProgram(words: readonly string[], context: CommandContext): Promise<Command> {
  const [word] = words;
  const showsAll = words.includes('--all');
  const program = createRoot(context, showsAll);
  const named = Object.entries(COMMANDS).find(([name]) => name === word)?.[1];
  const needed = named === undefined || named.needsAll === true ? Object.values(COMMANDS) : [named];
  for (const load of new Set(needed.map((entry) => entry.load))) (await load())(program, context);
  for (const command of program.commands) {
    command.helpGroup(showsAll ? `${COMMANDS[command.name()]?.group ?? ''}:` : 'Commands:');
  }
  const order = showsAll ? Object.keys(COMMANDS) : [...FRONT_COMMANDS, ...Object.keys(COMMANDS)];
  const sorted = program.commands.toSorted(
    (one, other) => order.indexOf(one.name()) - order.indexOf(other.name()),
  );
  (program.commands as Command[]).splice(0, Infinity, ...sorted);
  return program;
}

function createRoot({ terminal }: CommandContext, showsAll: boolean): Command {
  const columns = columnsFor(terminal.stdout);
  return (
    new Command('truecast')
      .description('Typed results from any AI agent: validated, never asserted.')
      .version(packageJson.version, '-v, --version')
      .commandsGroup(showsAll ? 'Set up:' : 'Commands:')
      .exitOverride()
      // `usageHint()` suggests similar names, with the same function as all other errors.
      .showSuggestionAfterError(false)
      .configureOutput({
        // The caller prints errors, with a hint instead of the whole help.
        outputError: () => undefined,
        getOutHelpWidth: () => (columns === Infinity ? 100 : columns),
        writeOut: (text) => terminal.stdout.write(text),
      })
      .configureHelp({
        minWidthToWrap: MIN_WRAPPED_COLUMNS,
        ...(!showsAll && { formatHelp: frontHelp }),
        ...(columns < MIN_HELP_COLUMNS && { formatItem: stackItem }),
      })
      .addHelpText(
        'after',
        `${showsAll ? '' : '\nAll commands, such as compare, report, chat and ensemble: truecast help --all\n'}
The answer (JSON) is printed on stdout, everything else on stderr.
Exit codes: 0 success, 1 failure, 2 invalid usage, 3 missing or invalid answer, 4 question, 5 declined,
130 interrupted.
Try it without a key: truecast demo`,
      )
  );
}

/** The help text. Of the commands of the program, it lists only the usual ones. */
function frontHelp(command: Command, help: Help): string {
  const visibleCommands = (each: Command): Command[] =>
    help
      .visibleCommands(each)
      .filter((below) => command.parent !== null || FRONT_COMMANDS.includes(below.name()));
  const shown = Object.assign(new Help(), help, { visibleCommands });
  return Help.prototype.formatHelp.call(shown, command, shown);
}

/** Prints a flag with its description below it. */
function stackItem(term: string, _width: number, description: string, help: Help): string {
  const room = (help.helpWidth ?? MIN_HELP_COLUMNS) - 6;
  const below = help.boxWrap(description, room).replaceAll(/^/gmu, '      ');
  return description === '' ? `  ${term}` : `  ${term}\n${below}`;
}
