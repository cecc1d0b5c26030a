/** Serve here: a command that serves, in the process of the suites, for a part of the processor time of a program. */
import { PassThrough, Readable } from 'node:stream';
import { runCommandLine } from '../../packages/cli/src/main.ts';
import type { CommandTerminal } from '../../packages/cli/src/terminal/print.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** A call of `truecast`, with all variables that it has. */
export interface ServeCall {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A command that serves in this process. */
export interface ServedHere {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Ends it as a signal does. Returns its exit code. */
  stop(): Promise<number>;
}

/** Starts the command. Until its end, this process has its variables and its folder: one at a time. */
export function serveHere({ words, cwd, env }: ServeCall): ServedHere {
  const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode };
  const others = SIGNALS.flatMap((signal) => process.listeners(signal));
  /** Listeners of the command. The next start would count a signal for this one too. */
  const listeners = () =>
    SIGNALS.flatMap((signal) =>
      process
        .listeners(signal)
        .filter((listener) => !others.includes(listener))
        .map((listener) => ({ signal, listener })),
    );
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  setEnvironment(env);
  process.chdir(cwd);
  // Streams of a process that is not on a terminal.
  const terminal = { stdin: Readable.from([]), stdout, stderr };
  const ended = runCommandLine(words, terminal as unknown as CommandTerminal);
  void ended.finally(() => {
    stdout.end();
    stderr.end();
  });
  const stop = async (): Promise<number> => {
    for (const { signal, listener } of listeners()) if (signal === 'SIGTERM') listener(signal);
    try {
      return (await ended) ?? 0;
    } finally {
      for (const { signal, listener } of listeners()) process.off(signal, listener);
      process.chdir(before.cwd);
      process.exitCode = before.exitCode;
      setEnvironment(before.env);
    }
  };
  return { stdout, stderr, stop };
}

function setEnvironment(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (variables[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value;
}
