/** Prompt messages for a model provider: the AI SDK's message format without its package. Pure. */
import type { JsonValue } from '@truecast/core/internal/kit/json-value';

type Options = Readonly<Record<string, Record<string, JsonValue>>>;

export interface ProviderText {
  readonly type: 'text';
  readonly text: string;
  readonly providerOptions?: Options;
}

/** Reasoning that the provider requires in later requests. */
export interface ProviderReasoning {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerOptions?: Options;
}

/** A file, as URL or Base64. */
export interface ProviderFile {
  readonly type: 'file';
  readonly data: string | URL;
  readonly mediaType: string;
  readonly filename?: string;
}

export interface ProviderToolCall {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerExecuted?: boolean;
  readonly providerOptions?: Options;
}

export interface ProviderToolResult {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output:
    | { readonly type: 'text' | 'error-text'; readonly value: string }
    | { readonly type: 'json' | 'error-json'; readonly value: JsonValue };
  readonly providerOptions?: Options;
}

export type AssistantContent =
  | ProviderText
  | ProviderReasoning
  | ProviderFile
  | ProviderToolCall
  | ProviderToolResult;

export type ProviderMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: (ProviderText | ProviderFile)[] }
  | { role: 'assistant'; content: AssistantContent[] }
  | { role: 'tool'; content: ProviderToolResult[] };
