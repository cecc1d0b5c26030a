/** Facts of the providers' models that their adapters do not report. Pure. */
import type { ModelCapabilities } from '@truecast/model/internal/ladder/choose-way';
import type { ChatModel } from './chat-model.ts';

/** Capabilities and settings of a model, without its adapter. */
export type ProviderFacts = Omit<ChatModel, 'id' | 'model'>;

/** A model that supports everything. */
export const CAPABLE: ModelCapabilities = {
  takesTools: true,
  takesRequiredChoice: true,
  takesRequiredChoiceThinking: true,
  takesNativeSchema: true,
  isThinking: false,
  canStopThinking: false,
};

/**
 * Models that reject every forced call. Their package silently omits the forced choice, so the turn
 * must add a reminder.
 */
const UNFORCED = /^claude-(?:sonnet-5-5|opus-5-5|fable-5-[12])/u;

/** Returns the facts of a model of `anthropic`, `openai`, `google`, or any other provider. */
export function providerFacts(provider: string, name: string): ProviderFacts {
  switch (provider) {
    case 'anthropic':
      return {
        // It rejects forced tool calls while it reasons (Anthropic, "Extended thinking with tool
        // use", 2026).
        capabilities: {
          ...CAPABLE,
          takesRequiredChoice: !UNFORCED.test(name),
          takesRequiredChoiceThinking: false,
          canStopThinking: true,
        },
        hasExactArguments: true,
        withoutThinking: { anthropic: { thinking: { type: 'disabled' } } },
        contextTokens: 200_000,
      };
    case 'openai':
      // Disables storage at the service, because the rows are the source of truth.
      return {
        capabilities: CAPABLE,
        hasExactArguments: true,
        providerOptions: { openai: { store: false } },
      };
    case 'google':
      // Its wire format contains arguments as JSON values, not as text.
      return { capabilities: CAPABLE, hasExactArguments: false, contextTokens: 1_000_000 };
    case 'openai-compatible':
      return { capabilities: { ...CAPABLE, isLearned: true }, hasExactArguments: true };
    default:
      return { capabilities: CAPABLE, hasExactArguments: true };
  }
}
