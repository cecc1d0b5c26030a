/** Time limits of one request: total timeout and idle timeout. */
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { ModelTimeouts } from './model-settings.ts';

/** A service can keep a connection open forever, with pings or a byte now and then. */
const DEFAULT_IDLE_MS = 600_000;
/** Maximum time of a request without `requestMs`. */
const DEFAULT_TIMEOUT_MS = 3_600_000;

/** Running limits of one request. */
export interface TimeLimits {
  /** Aborts with the caller's signal, or when a limit is reached. */
  readonly signal: AbortSignal;
  /** Restarts the idle limit: a piece of the reply has arrived. */
  progressed(): void;
  /** Returns the error of the reached limit. Undefined if none was reached. */
  reached(cause: unknown): ModelError | undefined;
  stop(): void;
  /** Ends the connection of a request that failed: the service could still send. */
  abandon(): void;
}

export function startTimeLimits({
  requestMs = DEFAULT_TIMEOUT_MS,
  idleMs = DEFAULT_IDLE_MS,
  signal,
}: { readonly [Name in 'requestMs' | 'idleMs']?: ModelTimeouts[Name] | undefined } & {
  readonly signal?: AbortSignal | undefined;
}): TimeLimits {
  const controller = new AbortController();
  let told: string | undefined;
  const end = (message: string): void => {
    told ??= message;
    controller.abort(new DOMException(message, 'TimeoutError'));
  };
  const total = setTimeout(() => end(unfinishedIn(requestMs)), requestMs);
  const idle = setTimeout(() => end(idleFor(idleMs)), idleMs);
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    progressed() {
      idle.refresh();
    },
    reached: (cause) =>
      told === undefined || signal?.aborted === true
        ? undefined
        : new ModelError(told, { code: 'timeout', cause }),
    abandon: () => controller.abort(new DOMException('The request failed.', 'AbortError')),
    stop() {
      clearTimeout(total);
      clearTimeout(idle);
    },
  };
}

function unfinishedIn(limitMs: number): string {
  return `The model did not finish its reply within ${limitMs} ms. Raise \`timeouts.requestMs\`, lower \`maxOutputTokens\`, or check the service.`;
}

function idleFor(limitMs: number): string {
  return `The model sent nothing for ${limitMs} ms. Raise \`timeouts.idleMs\`, or check the service.`;
}
