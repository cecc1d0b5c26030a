/** Loading servers: waits for a server that is loading its model, instead of failing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { refusalIn } from './refusal.ts';

/** Large weights on a slow disk need this long. */
export const DEFAULT_LOADING_MS = 120_000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5_000;

export interface LoadingOptions {
  /** Maximum time in milliseconds. 0 waits for nothing. @default 120_000 */
  readonly loadingMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once, before the first wait. @default a warning of the process */
  onLoading?(message: string): void;
}

/** Returns true if a server refused a request because it is loading its model. */
function isLoading(error: unknown): boolean {
  return refusalIn(error)?.cause === 'loading';
}

/** Returns true for the error of a wait that was too long. */
export function isStillLoading(error: unknown): boolean {
  return ModelError.isInstance(error) && error.code === 'timeout' && isLoading(error.cause);
}

/**
 * Repeats a request while its server is loading. They do not count as attempts.
 *
 * @throws ModelError `timeout` if it takes too long; the request's error; the signal's reason
 */
export async function whileLoading<TReply>(
  request: () => Promise<TReply>,
  { loadingMs = DEFAULT_LOADING_MS, signal, onLoading = warn }: LoadingOptions,
): Promise<TReply> {
  const startedAtMs = performance.now();
  for (let waits = 0; ; waits += 1) {
    try {
      return await request();
    } catch (error) {
      if (!isLoading(error) || loadingMs === 0) throw error;
      signal?.throwIfAborted();
      const leftMs = loadingMs - (performance.now() - startedAtMs);
      if (leftMs <= 0) throw tooLong(error, loadingMs);
      if (waits === 0) onLoading(loadingSentence(loadingMs));
      const delayMs = Math.min(leftMs, LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** waits);
      await sleep(delayMs, undefined, { ...(signal !== undefined && { signal }) }).catch(() =>
        signal?.throwIfAborted(),
      );
    }
  }
}

function loadingSentence(timeoutMs: number): string {
  return `The model's service is loading its model. The request is repeated for up to ${timeoutMs / 1_000} s (\`timeouts.loadingMs\`).`;
}

function warn(message: string): void {
  process.emitWarning(message, 'TruecastWarning');
}

function tooLong(cause: unknown, timeoutMs: number): ModelError {
  return new ModelError(
    `The model's service was still loading its model after ${timeoutMs / 1_000} s. Raise \`timeouts.loadingMs\`, or ask again when it is ready.`,
    { code: 'timeout', cause, statusCode: 503 },
  );
}
