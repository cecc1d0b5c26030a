/** `stubProvider()`: a deterministic offline model for demos and tests. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { stubEvent } from '@truecast/core/internal/event-contract/stub-event';
import { estimateTokens } from './estimate-tokens.ts';
import type { Provider } from './provider.ts';

/** Options of `stubProvider`. */
export interface StubProviderOptions {
  /** A different seed gives different answers. @default '' */
  readonly seed?: string;
}

const MODEL = 'stub';

/**
 * Creates a stub model. It answers every prompt with a valid event, chosen by the prompt and the
 * seed.
 *
 * It has only `complete`, so its answers take the prompted path. It reports estimated tokens and
 * zero time, so that budgets can be tested.
 *
 * @example
 * ```ts
 * const provider = stubProvider({ seed: 'a quiet night' });
 * ```
 */
export function stubProvider(options: StubProviderOptions = {}): Provider {
  assertKind(options, 'an object', 'options', 'Pass `{ seed }`, or leave it out.');
  const { seed = '' } = options;
  return {
    model: MODEL,
    async complete({ system, prompt, contract, signal, onCall }) {
      signal.throwIfAborted();
      const text = stubEvent({ ...contract, seed: [seed, system, prompt].join('\n') });
      const usage = {
        inputTokens: estimateTokens(system) + estimateTokens(prompt),
        outputTokens: estimateTokens(text),
        cacheCreationInputTokens: 0,
        cacheReadInputTokens: 0,
      };
      await onCall({ model: MODEL, usage, durationMs: 0, code: 'ok' });
      return { text, usage };
    },
  };
}
