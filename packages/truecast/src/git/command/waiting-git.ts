/** Git call that can start before its input is known, which saves the time of the start. */
import { git, type GitOptions, type GitResult } from './git.ts';

/** A git command that does nothing until it has its input. */
export interface WaitingGit extends AsyncDisposable {
  /** Starts the command, if it has not started. */
  start(): void;
  /** Sends the input and returns the result. Call it once. */
  run(input: string): Promise<GitResult>;
}

/**
 * Creates the call of a command that reads its stdin before it does anything. Nothing is started
 * yet.
 *
 * When it is disposed, or when this process ends, a started command reads an empty stdin. Choose a
 * command that then changes nothing. Disposing waits for its end.
 */
export function waitingGit(args: readonly string[], options: Omit<GitOptions, 'input'>): WaitingGit {
  const { promise: input, resolve } = Promise.withResolvers<string>();
  let isDisposed = false;
  let running: Promise<GitResult> | undefined;
  return {
    start() {
      if (isDisposed || running !== undefined) return;
      running = git(args, { ...options, input });
      // The caller gets the error with the result.
      running.catch(() => undefined);
    },
    run(text) {
      resolve(text);
      running ??= git(args, { ...options, input: text });
      return running;
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      resolve('');
      await running?.catch(() => undefined);
    },
  };
}
