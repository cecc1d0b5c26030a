/** The `truecast` command: the same driver for each of its subcommands. */
import { runCommand as runWords, startCommand, type Ended } from '../../cli/run-command.ts';
import type { Outcome } from './outcome.ts';

const NO_MODEL = {
  TRUECAST_BASE_URL: '',
  TRUECAST_MODEL: '',
  TRUECAST_API_KEY: '',
  ANTHROPIC_API_KEY: '',
  OPENAI_API_KEY: '',
};

/** How a command starts. */
export interface CommandCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/**
 * Runs the command and returns its exit code and everything that it printed. The short form runs it in this
 * process, a tenth of the time of a start.
 */
export async function runCommand({ args, ...call }: CommandCall): Promise<Outcome> {
  return toOutcome(await runWords(args, placeOf(call)));
}

/** Starts a process in each form of the tests: for claims about a process, such as its exit code. */
export async function runProcess({ args, ...call }: CommandCall): Promise<Outcome> {
  return toOutcome(await startCommand(args, placeOf(call)));
}

function placeOf({ cwd, env, input = '' }: Omit<CommandCall, 'args'>) {
  return { cwd, input, env: { HOME: cwd, ...NO_MODEL, ...env } };
}

function toOutcome({ stdout, stderr, exitCode }: Ended): Outcome {
  return {
    isAccepted: exitCode === 0,
    value: stdout,
    message: stderr,
    warnings: stderr.split('\n').filter((line) => /warning|refs\/truecast/iu.test(line)),
    commits: [],
    sensitive: [],
    exitCode,
    output: `${stdout}\n${stderr}`,
  };
}
