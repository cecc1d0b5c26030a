/** Git call that can start before its input is known, so that its start is not waited for. */
import { git, type GitOptions, type GitResult } from './git.ts';

/** A git command that does nothing before it has its input. */
export interface WaitingGit extends AsyncDisposable {
  /** Starts it, if it has not started. */
  start(): void;
  /** Sends the input and returns the result. Call it once. */
  run(input: string): Promise<GitResult>;
}

type WaitingOptions = Omit<GitOptions, 'input' | 'isParked'>;

/**
 * Creates the call of a command that reads its stdin before it does anything. Nothing is started
 * yet.
 *
 * When it is disposed, or when this process ends, a started command reads an empty stdin: choose one
 * that then changes nothing. Disposing waits for its end.
 */
export function waitingGit(args: readonly string[], options: WaitingOptions): WaitingGit {
  return waitingCall({ canWait: true, firstLine: '' }, (input) => git(args, { ...options, input }));
}

/**
 * The same for any command: a shell waits, and becomes git with the input. Git then reads nothing of
 * an earlier state. On Windows, it starts with its input.
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
      // The caller sees it with the result.
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
