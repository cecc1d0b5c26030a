/** Flags for limits of the model service. */
import { Option, type Command } from 'commander';
import type { RunOptions } from '../../run/options/run-options.ts';
import { secondsOf } from './flag-values.ts';

/** Flags that `addLimitFlags` adds. */
export interface LimitFlags {
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

/** Converts the flags to options. */
export function limitsOf({
  onLimit,
  maxLimitWait,
}: LimitFlags): Pick<RunOptions, 'onLimit' | 'maxLimitWaitSeconds'> {
  return {
    ...(onLimit !== undefined && { onLimit }),
    ...(maxLimitWait !== undefined && { maxLimitWaitSeconds: maxLimitWait }),
  };
}
