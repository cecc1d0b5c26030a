/** Owns the silence of an agent's process: when it counts as hung, and when as done but not gone. */
import type { CompletionWatch } from './completion-signal.ts';

/** Silence after which a warning is told, and again after each further one. */
const WARNING_INTERVAL_MS = 60_000;

/** What a watchdog watches, and whom it tells. */
export interface WatchdogOptions {
  readonly idleTimeoutMs: number;
  readonly completionTimeoutMs: number;
  readonly completion: CompletionWatch;
  /** Tells whether the agent waits for us: that is no silence of its own. */
  isAwaited?(): boolean;
  onWarning(message: string): void;
  /** Is called once at most. `completed`: the agent was done and nothing came since. */
  onTimeout(kind: 'idle' | 'completed'): void;
}

/** Is told of every output; barks once. */
export interface Watchdog {
  /** Output came: silence begins anew. */
  activity(): void;
  stop(): void;
}

/** Starts watching at once. */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  const { idleTimeoutMs, completionTimeoutMs, completion } = options;
  let lastActivityMs = performance.now();
  let warnings = 0;
  let wasDone = false;
  let timer: NodeJS.Timeout | undefined;

  const check = (): void => {
    if (options.isAwaited?.() === true) lastActivityMs = performance.now();
    const silentMs = performance.now() - lastActivityMs;
    const limitMs = completion.isDone ? completionTimeoutMs : idleTimeoutMs;
    if (silentMs >= limitMs) {
      options.onTimeout(completion.isDone ? 'completed' : 'idle');
      return;
    }
    const nextWarningMs = (warnings + 1) * WARNING_INTERVAL_MS;
    if (silentMs >= nextWarningMs) {
      warnings += 1;
      options.onWarning(`The agent has printed nothing for ${warnings} minute${warnings === 1 ? '' : 's'}.`);
    }
    const wakeMs = Math.min(limitMs, (warnings + 1) * WARNING_INTERVAL_MS) - silentMs;
    // A timer may fire a fraction early; rounding up keeps it from spinning.
    timer = setTimeout(check, Math.ceil(wakeMs) + 1);
  };
  check();
  return {
    activity() {
      lastActivityMs = performance.now();
      warnings = 0;
      // Only a change of the deadline needs a new timer; otherwise the running one finds the new time by itself.
      if (completion.isDone === wasDone) return;
      wasDone = completion.isDone;
      clearTimeout(timer);
      check();
    },
    stop: () => clearTimeout(timer),
  };
}
