/** The `truecast` command: runs the subcommand that the arguments name, and sets the exit code. */
import { CommanderError } from 'commander';
import { explainMissingPackage } from '@truecast/core/internal/errors/load-package';
import { createProgram } from './program.ts';
import { isClosedPipe, EXIT, exitCodeOf, tell, type CommandTerminal } from './terminal/print.ts';
import { flagsOf, namedCommand, usageHint, withoutHelpOfUnknown } from './terminal/usage-hint.ts';

/** Packages of some subcommands. Node looks for them where `truecast` is installed, never in the working directory. */
const ADD_ONS = ['@truecast/server', '@truecast/ensemble', '@truecast/client'];

/** Runs the command that the process's arguments name. */
export async function main(): Promise<void> {
  const { stdin, stdout, stderr } = process;
  const words = process.argv.slice(2);
  if (words.length === 0) await (await import('./overview.ts')).printOverview({ stdout, stderr });
  else process.exitCode = await runCommandLine(words, { stdin, stdout, stderr });
}

export async function runCommandLine(
  words: readonly string[],
  terminal: CommandTerminal,
): Promise<number | undefined> {
  let failed: number | undefined;
  const program = await createProgram(words, {
    terminal,
    async finish(action, { json = false }) {
      try {
        await action();
      } catch (failure) {
        if (isClosedPipe(failure)) return;
        const known = explainMissingPackage(failure, ADD_ONS);
        failed = exitCodeOf(known);
        const { reportFailure } = await import('./terminal/report-failure.ts');
        const flags = flagsOf(namedCommand(program, words));
        await reportFailure(known, { flags, json }, terminal);
      }
    },
  });
  const given = withoutHelpOfUnknown(program, words);
  try {
    await program.parseAsync(given, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.done;
    if (!error.code.startsWith('commander.help')) {
      tell(usageHint(error, namedCommand(program, given)), terminal, 'bad');
    }
    return EXIT.wrongUse;
  }
  return failed ?? (process.exitCode as number | undefined);
}
