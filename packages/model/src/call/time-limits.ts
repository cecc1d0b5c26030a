/** Time limits of one request: total timeout and idle timeout. */
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { GivenSettings } from './model-settings.ts';

/** Running limits of one request. */
export interface TimeLimits {
  /** Aborts with the caller's signal, or when a limit is reached. */
  readonly signal: AbortSignal | undefined;
  /** Restarts the idle limit: a piece of the reply has arrived. */
  progressed(): void;
  /** Returns the error of the reached limit. Undefined if none was reached. */
  reached(cause: unknown): ModelError | undefined;
  /** Stops the timers. */
  stop(): void;
}

/** Starts the limits of one request. */
export function startTimeLimits({
  timeoutMs,
  idleTimeoutMs,
  signal,
}: Pick<GivenSettings, 'timeoutMs' | 'idleTimeoutMs'> & {
  readonly signal?: AbortSignal | undefined;
}): TimeLimits {
  if (timeoutMs === undefined && idleTimeoutMs === undefined)
    return { signal, progressed: () => undefined, reached: () => undefined, stop: () => undefined };
  const controller = new AbortController();
  let told: string | undefined;
  const end = (message: string): void => {
    told ??= message;
    controller.abort(new DOMException(message, 'TimeoutError'));
  };
  const startIdle = (): ReturnType<typeof setTimeout> | undefined =>
    idleTimeoutMs === undefined ? undefined : setTimeout(() => end(idleFor(idleTimeoutMs)), idleTimeoutMs);
  const total =
    timeoutMs === undefined ? undefined : setTimeout(() => end(unfinishedIn(timeoutMs)), timeoutMs);
  let idle = startIdle();
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    progressed() {
      clearTimeout(idle);
      idle = startIdle();
    },
    reached: (cause) =>
      told === undefined || signal?.aborted === true
        ? undefined
        : new ModelError(told, { code: 'timeout', cause }),
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
