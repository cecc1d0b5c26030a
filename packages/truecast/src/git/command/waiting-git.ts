/** Git call that can start before its input is known, which saves the time of its start. */
import { git, type GitOptions, type GitResult } from './git.ts';

/** A git command that does nothing until it has its input. */
export interface WaitingGit extends AsyncDisposable {
  /** Starts the command, if it has not started. */
  start(): void;
  /** Sends the input and returns the result. Call it once. */
  run(input: string): Promise<GitResult>;
}

type WaitingOptions = Omit<GitOptions, 'input' | 'isParked'>;

/**
 * Creates the call of a command that reads its stdin before it does anything. Nothing is started
 * yet.
 *
 * When it is disposed, or when this process ends, a started command reads an empty stdin. Choose a
 * command that then changes nothing. Disposing waits for its end.
 */
export function waitingGit(args: readonly string[], options: WaitingOptions): WaitingGit {
  return waitingCall({ canWait: true, firstLine: '' }, (input) => git(args, { ...options, input }));
}

/**
 * Like `waitingGit`, for any command: a shell waits for the input, and then executes git. Git
 * therefore never reads an earlier state. On Windows, git starts together with its input.
 */
export function parkedGit(args: readonly string[], options: WaitingOptions): WaitingGit {
  const how = { canWait: process.platform !== 'win32', firstLine: '\n' };
  return waitingCall(how, (input, isWaiting) => git(args, { ...options, input, isParked: isWaiting }));
}

interface Waiting {
  readonly canWait: boolean;
  /** Precedes the input of a command that waited. */
  readonly firstLine: string;
}

function waitingCall(
  { canWait, firstLine }: Waiting,
  call: (input: string | Promise<string>, isWaiting: boolean) => Promise<GitResult>,
): WaitingGit {
  const { promise: input, resolve } = Promise.withResolvers<string>();
  let isDisposed = false;
  let running: Promise<GitResult> | undefined;
  return {
    start() {
      if (!canWait || isDisposed || running !== undefined) return;
      running = call(input, true);
      // The caller gets the error with the result.
      running.catch(() => undefined);
    },
    run(text) {
      resolve(firstLine + text);
      running ??= call(text, false);
      return running;
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      resolve('');
      await running?.catch(() => undefined);
    },
  };
}
