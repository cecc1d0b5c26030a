/** Context of an output's check in `generate()`: a signal, and no sandbox. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { OutputCheckContext } from '@truecast/core/internal/output/definition/definition';

/** A class: the getter of a literal would keep the signal in memory until a full collection. */
class HostCheckContext implements OutputCheckContext {
  readonly exec: () => Promise<never> = noSandbox;
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal ?? new AbortController().signal;
  }

  // Read lazily: a deleted working directory must not fail a check that does not use it.
  get worktreePath(): string {
    return process.cwd();
  }
}

export function checkContext(signal: AbortSignal | undefined): OutputCheckContext {
  return new HostCheckContext(signal);
}

function noSandbox(): Promise<never> {
  return Promise.reject(
    new UsageError('A check in `generate()` has no sandbox to run commands in. Use `run()` for that.', {
      code: 'unsupported',
    }),
  );
}
