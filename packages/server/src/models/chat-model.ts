/** Model capabilities and settings for turns, in addition to its call. */
import type { ModelMessage } from 'ai';
import type { Prices } from '@truecast/core/internal/kit/usage';
import type { GenerateModel } from '@truecast/model/internal/call/generate-options';
import type { ModelSettings } from '@truecast/model/internal/call/model-settings';
import type { OwnerPlaces } from '../pacing/owner-places.ts';
import type { ModelCapabilities } from '@truecast/model/internal/ladder/choose-way';
import type { ProviderTools } from './provider-tools.ts';

/** Provider-specific options by provider name. */
export type ProviderOptions = NonNullable<ModelMessage['providerOptions']>;

/** Sampling settings. Omitted ones are the provider's defaults. */
export interface SamplingSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: string[];
  readonly seed?: number;
}

/** Settings of a model that the operator chose, and limits that its server reported. */
export interface ModelLimits extends Omit<
  ModelSettings,
  keyof SamplingSettings | 'headers' | 'providerOptions'
> {
  /** Context window in tokens, output included. @default unknown */
  readonly contextTokens?: number;
  /** Sampling of every call. A request's own settings take precedence. @default the provider's */
  readonly sampling?: SamplingSettings;
  /** Amount of reasoning. @default the provider's */
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high';
  /** Prices of the tokens. Without them usage has no cost. */
  readonly prices?: Prices;
  /** Slots for concurrent calls of this process. @default unlimited */
  readonly places?: OwnerPlaces;
  /** Names of models that answer when this one fails, in order. @default [] */
  readonly fallbacks?: readonly string[];
}

export interface ChatModel extends ModelLimits {
  /** Name on the wire: `provider:model`, or its name in the file of models. */
  readonly id: string;
  readonly model: GenerateModel;
  /** Place of a server of unknown make. @default that of a hosted provider */
  readonly engine?: { readonly url: string; readonly model: string; readonly apiKey?: string };
  /** Declared capabilities. If the provider rejects one, the turn uses another mode. */
  readonly capabilities: ModelCapabilities;
  /**
   * True if its adapter passes tool arguments verbatim. Otherwise they are re-serialized, which can
   * round numbers.
   */
  readonly hasExactArguments: boolean;
  /** Provider-executed tools that the server's configuration enables. */
  readonly providerTools?: ProviderTools;
  /** Options of every call. */
  readonly providerOptions?: ProviderOptions;
  /** Options of a call with reasoning disabled. */
  readonly withoutThinking?: ProviderOptions;
}
