/**
 * Watchdog for an agent's process without output: detects an agent that hangs, or that is done but
 * has not exited.
 */
import type { CompletionWatch } from './completion-signal.ts';

/** Interval of warnings about missing output. */
const WARNING_INTERVAL_MS = 60_000;

export interface WatchdogOptions {
  readonly idleTimeoutMs: number;
  readonly completionTimeoutMs: number;
  readonly completion: CompletionWatch;
  /** Returns true if the agent waits for this process. That does not count as silence. */
  isAwaited?(): boolean;
  onWarning(message: string): void;
  /** Called at most once. `completed` means that the agent was done and has sent nothing since. */
  onTimeout(kind: 'idle' | 'completed'): void;
}

/** Receives every output. Fires once. */
export interface Watchdog {
  /** Output arrived: resets the silence. */
  activity(): void;
  stop(): void;
}

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
    // A timer can fire a fraction early. Rounding up prevents a busy loop.
    timer = setTimeout(check, Math.ceil(wakeMs) + 1);
  };
  check();
  return {
    activity() {
      lastActivityMs = performance.now();
      warnings = 0;
      // Only a changed deadline needs a new timer. Otherwise the running timer computes the new
      // time itself.
      if (completion.isDone === wasDone) return;
      wasDone = completion.isDone;
      clearTimeout(timer);
      check();
    },
    stop: () => clearTimeout(timer),
  };
}
