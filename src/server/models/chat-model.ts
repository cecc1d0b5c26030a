/** Owns what a turn needs to know of a model beyond how to call it: what it can be asked to do, and how much it reads. */
import type { ModelMessage } from 'ai';
import type { GenerateModel } from '../../model/generate-options.ts';
import type { ModelCapabilities } from '../finalizer/choose-mechanism.ts';
import type { ProviderTools } from './provider-tools.ts';

/** What a provider takes beyond the common settings, by its name. */
export type ProviderOptions = NonNullable<ModelMessage['providerOptions']>;

/** A model that turns can use. */
export interface ChatModel {
  /** Its name on the wire: `provider:model`. */
  readonly id: string;
  readonly model: GenerateModel;
  /** What it takes; where its provider refuses one of these all the same, the turn asks otherwise. */
  readonly capabilities: ModelCapabilities;
  /** Its adapter hands on a tool's arguments as they were written; else they were read and written again, and numbers may have lost digits. */
  readonly hasExactArguments: boolean;
  /** Tokens that a prompt may have. @default 128000 */
  readonly contextTokens?: number;
  /** Tools that the provider itself runs, as far as the server's configuration asks for them. */
  readonly providerTools?: ProviderTools;
  /** What is sent with every call. */
  readonly providerOptions?: ProviderOptions;
  /** What is sent instead where the model must not think. */
  readonly withoutThinking?: ProviderOptions;
}
