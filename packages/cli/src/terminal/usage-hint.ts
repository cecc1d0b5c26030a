/** Errors of the command line itself: the error, a similar name, and the help command. Pure. */
import type { Command, CommanderError } from 'commander';
import { suggest } from '@truecast/core/internal/options/suggest';

/** Returns the command that the arguments name, or the program. */
export function namedCommand(program: Command, words: readonly string[]): Command {
  const [word, ...rest] = words;
  const found = program.commands.find((command) => command.name() === word);
  return found === undefined ? program : namedCommand(found, rest);
}

/**
 * Returns the arguments without `help` and `--help` if they name an unknown command. Otherwise the help
 * of the command above it would hide the mistake.
 */
export function withoutHelpOfUnknown(program: Command, words: readonly string[]): readonly string[] {
  const asked = words[0] === 'help' ? words.slice(1) : words;
  const named = asked.filter((word) => word !== '--help' && word !== '-h');
  const command = namedCommand(program, named);
  const next = named[depthOf(command)];
  const isUnknown = command.commands.length > 0 && next !== undefined && !/^(?:-|help$)/u.test(next);
  return isUnknown ? named : words;
}

function depthOf(command: Command): number {
  return command.parent === null ? 0 : depthOf(command.parent) + 1;
}

/** Returns the long flags of a command. */
export function flagsOf(command: Command): readonly string[] {
  return command.options.map(({ long }) => long ?? '');
}

function namesOf({ commands }: Command): readonly string[] {
  return commands.map((each) => each.name());
}

/** Returns the names of a command and its parents, as typed. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Returns the lines for an error of the command line. */
export function usageHint({ message, code }: CommanderError, command: Command): string {
  const said = message.trim().replace(/^error: /u, '');
  const sentence = /[.?!]$/u.test(said) ? said : `${said}.`;
  const unknown = /^unknown (?:command|option) '([^'=]*)/u.exec(said)?.[1];
  const known = code === 'commander.unknownOption' ? [...flagsOf(command), '--help'] : namesOf(command);
  const similar = unknown === undefined ? undefined : suggest(unknown, known);
  const suggestion = similar === undefined ? '' : ` ${similar}`;
  const isSplit = code === 'commander.excessArguments' && command.registeredArguments.length > 0;
  const quotes = isSplit ? ' Put text of several words in quotes.' : '';
  return `truecast: ${sentence}${suggestion}${quotes}\nSee: ${pathOf(command)} --help`;
}
