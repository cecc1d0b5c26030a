/** One model call of a turn: request, live hints and result. */
import type { ModelMessage } from 'ai';
import type { RowFinish, RowPart } from '../contract/rows.ts';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { WaitCause } from '../pacing/fair-waiters.ts';
import type { ChatModel, SamplingSettings } from './chat-model.ts';
import type { ProviderTools } from './provider-tools.ts';

export interface ToolDefinition {
  readonly name: string;
  /** Empty if absent. */
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** True for constrained decoding of the arguments. @default the provider's */
  readonly strict?: boolean;
}

export interface StepRequest {
  readonly model: ChatModel;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Provider-executed tools enabled for this step. @default {} */
  readonly providerTools?: ProviderTools;
  /** Tool choice: any, a named one, or automatic. @default "auto" */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string };
  /** Takes precedence over the model's settings. */
  readonly sampling?: SamplingSettings;
  /** Schema for constrained decoding. Never together with tools. */
  readonly nativeSchema?: {
    readonly name: string;
    readonly schema: Readonly<Record<string, unknown>>;
  };
  /** True to send the schema as a member of the JSON mode. @default false */
  readonly isObjectMode?: boolean;
  /** True to ask for JSON without a schema. @default false */
  readonly isJsonMode?: boolean;
  /** True to disable reasoning. @default false */
  readonly withoutThinking?: boolean;
  /** @default the model's setting, else the provider's */
  readonly maxOutputTokens?: number;
  /** Idle timeout of the stream in milliseconds. @default 600000 */
  readonly silenceMs?: number;
  /**
   * Maximum size of a reply, reasoning and arguments included, in bytes. A longer one fails the call.
   * @default 8388608
   */
  readonly maxReplyBytes?: number;
  /** Aborts the call. Received parts are kept. */
  readonly signal: AbortSignal;
  onLivePart?(part: LivePart): void;
}

/** Receives live hints. The committed row is the source of truth. */
export type LivePart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-input-start'; readonly tool_call_id: string; readonly tool_name: string }
  | { readonly type: 'tool-input-delta'; readonly tool_call_id: string; readonly delta: string };

/** Result of a call. */
export interface StepReply {
  readonly parts: readonly RowPart[];
  readonly finishReason: RowFinish;
  /** Undefined if the service reported none. */
  readonly usage: Usage | undefined;
  /** The service's model id. */
  readonly modelId: string;
  /** Time when the call was sent, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Time when the first part of the reply arrived. Absent if none arrived. */
  readonly firstTokenAt?: number;
  readonly durationMs: number;
  /** Wait before the call, and its reason. Absent if it did not wait. */
  readonly waitedMs?: number;
  readonly waitedFor?: WaitCause | 'concurrency';
}
