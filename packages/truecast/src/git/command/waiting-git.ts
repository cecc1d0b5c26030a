/** Git call that can start before its input is known, so that its start is not waited for. */
import { git, type GitOptions, type GitResult } from './git.ts';

/** A git command that reads its stdin before it does anything. */
export interface WaitingGit extends AsyncDisposable {
  /** Starts it, if it has not started. */
  start(): void;
  /** Sends the input and returns the result. Call it once. */
  run(input: string): Promise<GitResult>;
}

/**
 * Creates the call. Nothing is started yet.
 *
 * When it is disposed, or when this process ends, a started command reads an empty stdin: choose one
 * that then changes nothing. Disposing waits for its end.
 */
export function waitingGit(args: readonly string[], options: Omit<GitOptions, 'input'>): WaitingGit {
  const { promise: input, resolve } = Promise.withResolvers<string>();
  let running: Promise<GitResult> | undefined;
  const start = (): Promise<GitResult> => {
    running ??= git(args, { ...options, input });
    // The caller sees it with the result.
    running.catch(() => undefined);
    return running;
  };
  return {
    start: () => void start(),
    run(text) {
      resolve(text);
      return start();
    },
    async [Symbol.asyncDispose]() {
      resolve('');
      await running?.catch(() => undefined);
    },
  };
}
