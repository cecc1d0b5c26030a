/** Owns the form in which a conversation is handed to a model's provider: that of the AI SDK's messages, without its package. Pure. */
import type { JsonValue } from '../../schema/json-value.ts';

type Options = Readonly<Record<string, Record<string, JsonValue>>>;

/** Words, in a prompt. */
export interface ProviderText {
  readonly type: 'text';
  readonly text: string;
  readonly providerOptions?: Options;
}

/** A thought that the provider wants back. */
export interface ProviderReasoning {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerOptions?: Options;
}

/** A file, by its address or in Base64. */
export interface ProviderFile {
  readonly type: 'file';
  readonly data: string | URL;
  readonly mediaType: string;
  readonly filename?: string;
}

/** A call that the model made. */
export interface ProviderToolCall {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerExecuted?: boolean;
  readonly providerOptions?: Options;
}

/** What a call came to. */
export interface ProviderToolResult {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output:
    | { readonly type: 'text' | 'error-text'; readonly value: string }
    | { readonly type: 'json' | 'error-json'; readonly value: JsonValue };
  readonly providerOptions?: Options;
}

/** A part of what a model said. */
export type AssistantContent =
  | ProviderText
  | ProviderReasoning
  | ProviderFile
  | ProviderToolCall
  | ProviderToolResult;

/** One message of a prompt. */
export type ProviderMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: (ProviderText | ProviderFile)[] }
  | { role: 'assistant'; content: AssistantContent[] }
  | { role: 'tool'; content: ProviderToolResult[] };
