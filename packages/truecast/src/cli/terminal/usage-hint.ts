/** Errors of the command line itself: the error, a similar name, and the help command. Pure. */
import type { Command, CommanderError } from 'commander';

/** Returns the command that the arguments name, or the program. */
export function namedCommand(program: Command, words: readonly string[]): Command {
  const [word, ...rest] = words;
  const found = program.commands.find((command) => command.name() === word);
  return found === undefined ? program : namedCommand(found, rest);
}

/** Returns the long flags of a command. */
export function flagsOf(command: Command): readonly string[] {
  return command.options.map(({ long }) => long ?? '');
}

/** Returns the names of a command and its parents, as typed. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Returns the lines for an error of the command line. */
export function usageHint({ message, code }: CommanderError, command: Command): string {
  const [, said = '', similar] =
    /^(?:error: )?([\s\S]*?)(?:\s*\(Did you mean ([\s\S]*?)\?\))?$/u.exec(message.trim()) ?? [];
  const sentence = /[.?!]$/u.test(said) ? said : `${said}.`;
  const suggestion = similar === undefined ? '' : ` Did you mean \`${similar}\`?`;
  const isSplit = code === 'commander.excessArguments' && command.registeredArguments.length > 0;
  const quotes = isSplit ? ' Put text of several words in quotes.' : '';
  return `truecast: ${sentence}${suggestion}${quotes}\nSee: ${pathOf(command)} --help`;
}
