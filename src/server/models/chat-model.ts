/** Owns what a turn needs to know of a model beyond how to call it: what it can be asked to do, and how much it reads. */
import type { ModelMessage, ToolSet } from 'ai';
import type { GenerateModel } from '../../model/generate-options.ts';

/** What a model takes; learnt from its provider's documents, and corrected by its refusals. */
export interface ModelCapabilities {
  /** It can be told that a tool must be called. */
  readonly forcedChoice: boolean;
  /** It takes that while it thinks, too. */
  readonly forcedChoiceWithThinking: boolean;
  /** It decodes under a JSON Schema. */
  readonly nativeSchema: boolean;
  /** It thinks before it answers, unless it is told not to. */
  readonly thinks: boolean;
  /** Its adapter hands on a tool's arguments as they were written; else they were read and written again, and numbers may have lost digits. */
  readonly exactArguments: boolean;
}

/** What a provider takes beyond the common settings, by its name. */
export type ProviderOptions = NonNullable<ModelMessage['providerOptions']>;

/** A model that turns can use. */
export interface ChatModel {
  /** Its name on the wire: `provider:model`. */
  readonly id: string;
  readonly model: GenerateModel;
  readonly capabilities: ModelCapabilities;
  /** Tokens that a prompt may have. @default 128000 */
  readonly contextTokens?: number;
  /** Tools that the provider itself runs, as its package makes them. */
  readonly providerTools?: ToolSet;
  /** What is sent with every call. */
  readonly providerOptions?: ProviderOptions;
  /** What is sent instead where the model must not think. */
  readonly withoutThinking?: ProviderOptions;
}
