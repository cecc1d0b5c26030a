/** Context of an output's check in `generate()`: a signal, and no sandbox. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { OutputCheckContext } from '@truecast/core/internal/output/definition/definition';

export function checkContext(signal: AbortSignal | undefined): OutputCheckContext {
  return {
    // Read lazily: a deleted working directory must not fail a check that does not use it.
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
