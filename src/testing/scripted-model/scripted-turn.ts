/** Owns what a script is shown of one model call: the posted request in terms that are the same for every wire format. Pure. */

/** A local inference server, where it speaks Chat Completions otherwise than the service. */
export type LocalServerName = 'llama.cpp' | 'lm-studio' | 'ollama' | 'vllm';

/** A wire format that the scripted model server speaks. */
export type ModelWireName =
  | 'anthropic-messages'
  | 'gemini-generate-content'
  | 'openai-chat-completions'
  | 'openai-responses';

/** A tool call that the model made earlier in the posted transcript. */
export interface TurnToolCall {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a client posted as the result of a tool call. */
export interface TurnToolResult {
  readonly type: 'tool-result';
  /** Id of the call that it answers. */
  readonly id: string;
  /** Name of the tool that was called; empty when the transcript does not hold the call. */
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

/** One piece of a posted message; `other` is what no wire names in common (an image, a document, a search). */
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
  /** `function` takes JSON; `text` takes free text; `built-in` is known to the service by its type alone. */
  readonly kind: 'function' | 'text' | 'built-in';
  readonly description: string;
  /** JSON Schema of its input; undefined for other kinds than `function`. */
  readonly inputSchema?: unknown;
  /** Name of the group that the client offers it in, where the wire has groups. */
  readonly namespace?: string;
}

/** One model call, as a client posted it. Everything a script answers with should come from here. */
export interface ScriptedTurn {
  readonly wire: ModelWireName;
  /** Counts the accepted model calls of this server from 0; refused requests and retries of the transport are not told apart. */
  readonly turnIndex: number;
  readonly model: string;
  /** All system and developer text, in order. */
  readonly system: string;
  readonly messages: readonly TurnMessage[];
  /**
   * The last text of the last user message that is no answer to a tool call: the prompt, or what was asked since.
   * What a client puts before it in the same message, such as Claude Code's reminders, stands in `messages`.
   */
  readonly userText: string;
  /** Tool results posted since the model's last message, in order. */
  readonly toolResults: readonly TurnToolResult[];
  /** The last of `toolResults`; undefined when the client asks rather than answers. */
  readonly lastToolResult: TurnToolResult | undefined;
  readonly tools: readonly OfferedTool[];
  /** JSON Schema that the answer must fit natively: a response format, or the input of a `StructuredOutput` tool. */
  readonly jsonSchema: unknown;
  /** True when the client asked for server-sent events. */
  readonly isStreaming: boolean;
  /** Request headers, names in lower case; the key is among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request's body as it was parsed. */
  readonly body: unknown;
  /** Aborted when the client hangs up or the server closes. */
  readonly signal: AbortSignal;
}

/** What a wire reads from a request's body; the rest of a turn follows from it. */
export interface PostedTurn {
  readonly model: string;
  readonly messages: readonly TurnMessage[];
  readonly tools: readonly OfferedTool[];
  readonly jsonSchema?: unknown;
  readonly isStreaming: boolean;
}

/** What the server knows about a request beside its body. */
export interface TurnCircumstances {
  readonly wire: ModelWireName;
  readonly turnIndex: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** Makes the turn that a script is shown. */
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
  // Clients append reminders of their own to tool results; they are not what the user asked.
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
