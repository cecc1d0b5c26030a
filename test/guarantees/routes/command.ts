/** The `truecast` command as a process: the same driver for each of its subcommands. */
import { execa } from 'execa';
import { MAIN } from '../../cli/cli-fixture.ts';
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

/** Runs the command and returns its exit code and everything that it printed. */
export async function runCommand({ cwd, args, env = {}, input = '' }: CommandCall): Promise<Outcome> {
  const { stdout, stderr, exitCode } = await execa(process.execPath, [MAIN, ...args], {
    cwd,
    reject: false,
    input,
    maxBuffer: 16 * 1024 * 1024,
    env: { HOME: cwd, ...NO_MODEL, ...env },
  });
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
