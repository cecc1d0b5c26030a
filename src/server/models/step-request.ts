/** Owns one call of a model in a turn: what is asked, what is told while it answers, and what it came to. */
import type { ModelMessage } from 'ai';
import type { FinishReason } from '../contract/rows.ts';
import type { MessagePart } from '../contract/parts.ts';
import type { Usage } from '../../errors/usage.ts';
import type { ChatModel } from './chat-model.ts';
import type { ProviderTools } from './provider-tools.ts';

/** A tool as a model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  /** Empty where there is none. */
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The provider decodes the arguments under their schema. @default as the provider does it */
  readonly strict?: boolean;
}

/** How a model picks its words; what is left out is the provider's own. */
export interface SamplingSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: string[];
  readonly seed?: number;
}

/** One call. */
export interface StepRequest {
  readonly model: ChatModel;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Those of the model's that the provider may run in this step. @default {} */
  readonly providerTools?: ProviderTools;
  /** Whether some tool must be called, or which one. @default "auto" */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly sampling?: SamplingSettings;
  /** The schema that the provider decodes under; never beside tools. */
  readonly nativeSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
  /** The model is told not to think. @default false */
  readonly withoutThinking?: boolean;
  /** `provider`: none is sent, so that the provider's own holds. @default 32000 */
  readonly maxOutputTokens?: number | 'provider';
  /** Milliseconds without any part after which the stream is given up. @default 600000 */
  readonly silenceMs?: number;
  /** The most that is kept of an answer, thoughts and arguments included, in bytes; where it passes that it is cut there. @default 8388608 */
  readonly maxReplyBytes?: number;
  /** Ends the call; what had come by then is kept. */
  readonly signal: AbortSignal;
  onLivePart?(part: LivePart): void;
}

/** What is seen of an answer while it is written; a hint, the committed row is the truth. */
export type LivePart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-input-start'; readonly tool_call_id: string; readonly tool_name: string }
  | { readonly type: 'tool-input-delta'; readonly tool_call_id: string; readonly delta: string };

/** What a call came to. */
export interface StepReply {
  readonly parts: readonly MessagePart[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** What the service calls the model. */
  readonly modelId: string;
  readonly durationMs: number;
}
