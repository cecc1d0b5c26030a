/** The `truecast` command: its subcommands, and the report of a failure. Each subcommand is loaded when it is called. */
import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { explainMissingPackage } from '@truecast/core/internal/errors/load-package';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import type { CommandContext } from './flags/flag-values.ts';
import { EXIT, exitCodeOf } from './terminal/exit-codes.ts';
import { errorToJson, printResult, tell } from './terminal/print.ts';

type AddCommand = (program: Command, context: CommandContext) => void;

const addImage = async (): Promise<AddCommand> => (await import('./image-command.ts')).addImageCommands;
const addServe = async (): Promise<AddCommand> =>
  (await import('./serve/serve-commands.ts')).addServeCommands;

/** Registration of each subcommand, in the order of the help. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  run: async () => (await import('./add-run-command.ts')).addRunCommand,
  extract: async () => (await import('./extract-command.ts')).addExtractCommand,
  doctor: async () => (await import('./add-doctor-command.ts')).addDoctorCommand,
  batch: async () => (await import('./batch-command.ts')).addBatchCommand,
  check: async () => (await import('./check-command.ts')).addCheckCommand,
  clean: async () => (await import('./clean-command.ts')).addCleanCommand,
  ensemble: async () => (await import('./ensemble/ensemble-command.ts')).addEnsembleCommand,
  docker: addImage,
  podman: addImage,
  init: async () => (await import('./init/init-command.ts')).addInitCommand,
  instructions: async () => (await import('./instructions-command.ts')).addInstructionsCommand,
  report: async () => (await import('./report-command.ts')).addReportCommand,
  serve: addServe,
  worker: addServe,
  token: addServe,
  chat: addServe,
};

/** Packages of some subcommands. Node looks for them where `truecast` is installed, never in the working directory. */
const ADD_ONS = ['@truecast/server', '@truecast/ensemble', '@truecast/client'];

const terminal = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };

/** Runs the command that the process's arguments name, and sets the exit code. */
export async function main(): Promise<void> {
  const program = createProgram();
  // Any other word needs all of them: for the help, and for the suggestion of a similar name.
  const named = Object.entries(COMMANDS).find(([name]) => name === process.argv[2])?.[1];
  for (const load of named === undefined ? new Set(Object.values(COMMANDS)) : [named])
    (await load())(program, { terminal, finish });
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.wrongUse;
  }
}

function createProgram(): Command {
  return new Command('truecast')
    .description('Typed results from any AI agent: validated, never asserted.')
    .version(packageJson.version)
    .showHelpAfterError()
    .exitOverride()
    .addHelpText(
      'after',
      `
Exit codes: 0 success, 1 failure, 2 invalid usage, 3 missing or invalid answer, 130 interrupted.
The answer (JSON) is printed on stdout, everything else on stderr.`,
    );
}

async function finish(action: () => Promise<void>, { json }: { readonly json?: boolean }): Promise<void> {
  try {
    await action();
  } catch (failure) {
    const known = explainMissingPackage(failure, ADD_ONS);
    process.exitCode = exitCodeOf(known);
    // A run masks its own errors with its own environment. Errors of other commands can quote files
    // too.
    const { maskFailure } = await import('./terminal/mask-failure.ts');
    const error = maskFailure(known);
    tell(`truecast: ${error instanceof Error ? error.message : String(error)}`, terminal);
    if (StructuredOutputError.isInstance(error) && error.preservedWorktreePath !== undefined) {
      tell(`The work is kept: branch ${error.branch}, worktree ${error.preservedWorktreePath}`, terminal);
    }
    if (json === true) await printResult({ error: errorToJson(error) }, terminal);
  }
}
