/** Model capabilities for turns, beyond how to call it. */
import type { ModelMessage } from 'ai';
import type { GenerateModel } from '@truecast/model/internal/call/generate-options';
import type { ModelCapabilities } from '../finalizer/choose-mechanism.ts';
import type { ProviderTools } from './provider-tools.ts';

/** Provider-specific options by provider name. */
export type ProviderOptions = NonNullable<ModelMessage['providerOptions']>;

/** A model for turns. */
export interface ChatModel {
  /** Its wire name: `provider:model`. */
  readonly id: string;
  readonly model: GenerateModel;
  /** Declared capabilities. If the provider rejects one, the turn uses another mechanism. */
  readonly capabilities: ModelCapabilities;
  /**
   * True if its adapter passes tool arguments verbatim. Otherwise they are re-serialized, which can
   * round numbers.
   */
  readonly hasExactArguments: boolean;
  /** Context window in tokens. @default 128000 */
  readonly contextTokens?: number;
  /** Provider-executed tools that the server's configuration enables. */
  readonly providerTools?: ProviderTools;
  /** Options of every call. */
  readonly providerOptions?: ProviderOptions;
  /** Options of a call with reasoning disabled. */
  readonly withoutThinking?: ProviderOptions;
}
