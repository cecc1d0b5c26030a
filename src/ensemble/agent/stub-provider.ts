/** Owns `stubProvider()`: a model for demos and tests, which needs no network and answers the same each time. */
import { stubEvent } from '../contract/stub-event.ts';
import { estimateTokens } from './prompt/estimate-tokens.ts';
import type { Provider } from './provider.ts';

/** What `stubProvider` takes. */
export interface StubProviderOptions {
  /** Another seed, other answers. @default '' */
  readonly seed?: string;
}

const MODEL = 'stub';

/**
 * Puts a stub behind agents: it answers every prompt with an event of the contract, chosen by the prompt and the seed alone.
 *
 * It has only `complete`, so that its answers take the prompted path. It reports estimated tokens and no time, so that budgets can be tried.
 *
 * @example
 * ```ts
 * const provider = stubProvider({ seed: 'a quiet night' });
 * ```
 */
export function stubProvider({ seed = '' }: StubProviderOptions = {}): Provider {
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
