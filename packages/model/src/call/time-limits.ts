/** Time limits of one request: total timeout and idle timeout. */
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { GivenSettings } from './model-settings.ts';

/** A service can keep a connection open forever, with pings or a byte now and then. */
const DEFAULT_IDLE_MS = 600_000;
/** Maximum time of a request without `timeoutMs`. */
const DEFAULT_TIMEOUT_MS = 3_600_000;

/** Running limits of one request. */
export interface TimeLimits {
  /** Aborts with the caller's signal, or when a limit is reached. */
  readonly signal: AbortSignal;
  /** Restarts the idle limit: a piece of the reply has arrived. */
  progressed(): void;
  /** Returns the error of the reached limit. Undefined if none was reached. */
  reached(cause: unknown): ModelError | undefined;
  /** Stops the timers. */
  stop(): void;
  /** Ends the connection of a request that failed: the service could still send. */
  abandon(): void;
}

/** Starts the limits of one request. */
export function startTimeLimits({
  timeoutMs = DEFAULT_TIMEOUT_MS,
  idleTimeoutMs = DEFAULT_IDLE_MS,
  signal,
}: Pick<GivenSettings, 'timeoutMs' | 'idleTimeoutMs'> & {
  readonly signal?: AbortSignal | undefined;
}): TimeLimits {
  const controller = new AbortController();
  let told: string | undefined;
  const end = (message: string): void => {
    told ??= message;
    controller.abort(new DOMException(message, 'TimeoutError'));
  };
  const total = setTimeout(() => end(unfinishedIn(timeoutMs)), timeoutMs);
  const idle = setTimeout(() => end(idleFor(idleTimeoutMs)), idleTimeoutMs);
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

function unfinishedIn(timeoutMs: number): string {
  return `The model did not finish its reply within ${timeoutMs} ms. Raise \`timeoutMs\`, lower \`maxOutputTokens\`, or check the service.`;
}

function idleFor(idleTimeoutMs: number): string {
  return `The model sent nothing for ${idleTimeoutMs} ms. Raise \`idleTimeoutMs\`, or check the service.`;
}
