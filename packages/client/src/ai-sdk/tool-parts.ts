/** Tool calls and results in the AI SDK's terms. Pure. */
import { parseBoundedJson } from '@truecast/core/internal/json/bounded-json';
import { describeRefusal } from '@truecast/core/internal/output/validate/describe-refusal';
import type { ToolCallPart, ToolResultPart } from '../wire/message-parts.ts';
import type { TruecastChunk } from './ui-message.ts';

/** Marks a tool that the client does not run, so that `useChat` does not wait for its output. */
export interface ToolMarks {
  readonly providerExecuted?: true;
  readonly dynamic?: true;
}

export function toolMarks(name: string | undefined, clientTools: ReadonlySet<string>): ToolMarks {
  return name !== undefined && clientTools.has(name) ? {} : { providerExecuted: true, dynamic: true };
}

/** Parses the arguments of a call. Text that is not JSON is returned unchanged. */
export function readInput(args: string): unknown {
  const parsed = parseBoundedJson(args);
  return parsed.success ? parsed.value : args;
}

/** A refused answer has a sentence for people: its result is a prompt for the model. */
export function errorTextOf({ result, attempt }: Pick<ToolResultPart, 'result' | 'attempt'>): string {
  if (attempt !== undefined) return describeRefusal(attempt);
  return typeof result === 'string' ? result : JSON.stringify(result);
}

const TEXT = { inputEncoding: 'text' } as const;

/**
 * Chunks of a committed call.
 *
 * A call of the client's tool has no `tool-input-available` here: that chunk runs the tool. It is
 * sent when the server waits for the result, so a replayed call does not run again.
 */
export function callChunks(
  { tool_call_id: toolCallId, tool_name: toolName, args }: ToolCallPart,
  marks: ToolMarks,
): TruecastChunk[] {
  if (marks.providerExecuted === true) {
    return [{ type: 'tool-input-available', toolCallId, toolName, input: readInput(args), ...marks }];
  }
  return [
    // Text that is not JSON is shown unchanged.
    { type: 'tool-input-start', toolCallId, toolName, ...(!parseBoundedJson(args).success && TEXT) },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: args },
  ];
}

export function resultChunk(part: ToolResultPart, marks: ToolMarks): TruecastChunk {
  const { tool_call_id: toolCallId, result: output, is_error: isError } = part;
  return isError
    ? { type: 'tool-output-error', toolCallId, errorText: errorTextOf(part), ...marks }
    : { type: 'tool-output-available', toolCallId, output, ...marks };
}
