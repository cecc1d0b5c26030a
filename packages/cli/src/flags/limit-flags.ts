/** Flags for limits of the model service. */
import { Option, type Command } from 'commander';
import type { RunTimeouts } from 'truecast/internal/run/options/run-bounds';
import { secondsOf } from './flag-values.ts';

/** Flags of time limits, and those that `addLimitFlags` adds. */
export interface LimitFlags {
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly onLimit?: 'wait' | 'fail';
  readonly maxLimitWait?: number;
}

/** Adds `--on-limit` and `--max-limit-wait`. */
export function addLimitFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--on-limit <policy>',
        'at a rate or usage limit of the model, fail or wait for its reset (default: fail)',
      ).choices(['wait', 'fail']),
    )
    .option(
      '--max-limit-wait <time>',
      'with --on-limit wait: maximum total wait of a run (default: 6h)',
      secondsOf,
    );
}

/** Converts flags with seconds to timeouts. */
export function timeoutsOf({ timeout, idleTimeout, maxLimitWait }: LimitFlags): RunTimeouts {
  return {
    ...(timeout !== undefined && { runMs: timeout * 1000 }),
    ...(idleTimeout !== undefined && { idleMs: idleTimeout * 1000 }),
    ...(maxLimitWait !== undefined && { limitWaitMs: maxLimitWait * 1000 }),
  };
}
