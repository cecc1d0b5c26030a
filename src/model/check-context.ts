/** Owns what an output's check is given in `generate()`: a signal, and no sandbox. */
import { UsageError } from '../errors/usage-error.ts';
import type { OutputCheckContext } from '../output/definition.ts';

/** Makes the context of a check. */
export function checkContext(signal: AbortSignal | undefined): OutputCheckContext {
  return {
    // Read when it is asked for: a folder that is gone is no fault of a check that does not look.
    get worktreePath() {
      return process.cwd();
    },
    exec: noSandbox,
    signal: signal ?? new AbortController().signal,
  };
}

function noSandbox(): Promise<never> {
  return Promise.reject(
    new UsageError('A check in `generate()` has no sandbox to run commands in. Use `run()` for that.', {
      code: 'unsupported',
    }),
  );
}
