/** A script's view of one model call, independent of the wire format. Pure. */

/** A local inference server that deviates from the Chat Completions service. */
export type LocalServerName = 'llama-cpp-python' | 'llama.cpp' | 'lm-studio' | 'ollama' | 'vllm';

/** Which tools a reply can or must call. */
export type TurnToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };

/** A wire format of the scripted model server. */
export type ModelWireName =
  | 'anthropic-messages'
  | 'gemini-generate-content'
  | 'openai-chat-completions'
  | 'openai-responses';

/** An earlier tool call of the model in the posted transcript. */
export interface TurnToolCall {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A posted tool result. */
export interface TurnToolResult {
  readonly type: 'tool-result';
  /** Id of the answered call. */
  readonly id: string;
  /** Name of the called tool. Empty if the transcript does not contain the call. */
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

/**
 * One part of a posted message. `other` has no common form on all wires (an image, a document, a
 * search).
 */
export type TurnPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | TurnToolCall
  | TurnToolResult
  | { readonly type: 'other'; readonly raw: unknown };

/** One message of the posted transcript. Tool results belong to the user. */
export interface TurnMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly TurnPart[];
}

/** A tool that the client offers to the model. */
export interface OfferedTool {
  readonly name: string;
  /** `function` takes JSON, `text` takes free text, `built-in` is defined by its type alone. */
  readonly kind: 'function' | 'text' | 'built-in';
  readonly description: string;
  /** JSON Schema of its input. Undefined for other kinds than `function`. */
  readonly inputSchema?: unknown;
  /** Name of its group, on wires with groups. */
  readonly namespace?: string;
}

/** One posted model call. A script should compute its replies from this alone. */
export interface ScriptedTurn {
  readonly wire: ModelWireName;
  /**
   * Number of the accepted model call on this server, from 0. Transport retries count like new
   * calls; refused requests do not count.
   */
  readonly turnIndex: number;
  readonly model: string;
  /** All system and developer text, in order. */
  readonly system: string;
  readonly messages: readonly TurnMessage[];
  /**
   * The last text of the last user message that is not a tool result: the prompt, or a later
   * question. Client text before it in the same message, such as Claude Code's reminders, is in
   * `messages`.
   */
  readonly userText: string;
  /** Tool results posted since the model's last message, in order. */
  readonly toolResults: readonly TurnToolResult[];
  /** The last of `toolResults`. Undefined if the client asks a question. */
  readonly lastToolResult: TurnToolResult | undefined;
  readonly tools: readonly OfferedTool[];
  /**
   * JSON Schema for a native answer: a response format, or the input of a `StructuredOutput` tool. An
   * imitated `llama.cpp` or `llama-cpp-python` leaves out what its grammar cannot enforce.
   */
  readonly jsonSchema: unknown;
  /**
   * The tool choice that the server enforces. A local server can drop the posted one, which is in
   * `body`. Undefined on other wires than Chat Completions.
   */
  readonly toolChoice?: TurnToolChoice;
  /** True if the client requested server-sent events. */
  readonly isStreaming: boolean;
  /** Request headers, names in lowercase, including the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed request body. */
  readonly body: unknown;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

/** The parts of a turn that a wire reads from the body. The rest is derived. */
export interface PostedTurn {
  readonly model: string;
  readonly messages: readonly TurnMessage[];
  readonly tools: readonly OfferedTool[];
  readonly jsonSchema?: unknown;
  readonly toolChoice?: TurnToolChoice;
  readonly isStreaming: boolean;
}

/** Request data beside the body. */
export interface TurnCircumstances {
  readonly wire: ModelWireName;
  readonly turnIndex: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

export function scriptedTurn(posted: PostedTurn, circumstances: TurnCircumstances): ScriptedTurn {
  const toolResults = latestToolResults(posted.messages);
  return {
    ...circumstances,
    ...posted,
    jsonSchema: posted.jsonSchema,
    system: posted.messages
      .filter((message) => message.role === 'system')
      .map(textOf)
      .join('\n'),
    userText: lastUserText(posted.messages),
    toolResults,
    lastToolResult: toolResults.at(-1),
  };
}

function latestToolResults(messages: readonly TurnMessage[]): TurnToolResult[] {
  const lastAnswer = messages.findLastIndex((message) => message.role === 'assistant');
  const parts = messages.slice(lastAnswer + 1).flatMap((message) => message.parts);
  return parts.filter((part) => part.type === 'tool-result');
}

function lastUserText(messages: readonly TurnMessage[]): string {
  // Clients append their own reminders to tool results. They are not the user's question.
  const asked = messages.findLast(
    (message) =>
      message.role === 'user' &&
      message.parts.some((part) => part.type === 'text') &&
      !message.parts.some((part) => part.type === 'tool-result'),
  );
  return asked?.parts.findLast((part) => part.type === 'text')?.text ?? '';
}

function textOf(message: TurnMessage): string {
  return message.parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n');
}
