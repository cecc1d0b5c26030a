/**
 * Prompt builder: a chat's rows since the latest summary, without parts for the server or client
 * only. Pure.
 */
import { REPEATED_RESULT } from '@truecast/core/internal/output/finalizer/answer-loop';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type {
  ProviderMetadata,
  ToolCallPart,
  ToolResultPart,
} from '@truecast/client/internal/wire/message-parts';
import type { MessageRow, RowPart } from '../contract/rows.ts';
import type { TurnView } from '../format/turn-view.ts';
import { isSentAgain } from '../finalizer/kept-arguments.ts';
import { askedAnew } from './asked-anew.ts';
import { summaryIndex } from './context-state.ts';
import type {
  AssistantContent,
  ProviderFile,
  ProviderMessage,
  ProviderText,
  ProviderToolResult,
} from './provider-message.ts';
import { repeatedResults } from './repeated-results.ts';
import { syntheticResult } from './synthetic-results.ts';
import { resultsOf, unansweredCalls } from '../contract/turn-rows.ts';

/**
 * Builds the messages of a prompt from a chat's rows.
 *
 * The answer of an earlier turn appears as assistant text, so that it can be discussed; its failed
 * attempts are omitted, and so are those of this turn after which the question is asked anew. Calls
 * without a result get a synthetic one.
 *
 * @param isByText - true if the next answer is text, so that no call is to be asked for
 */
export function providerMessages(view: TurnView, isByText: boolean = false): ProviderMessage[] {
  const { rows, turn, activeRequest } = view;
  const { hidden } = askedAnew(view, isByText);
  const shown = rows
    .slice(Math.max(0, summaryIndex(rows)))
    .filter(({ id, isDeleted, visibility }) => !isDeleted && visibility !== 'user' && !hidden.has(id));
  const turnStart = activeRequest.type === 'closed' ? Infinity : (turn?.[0].id ?? 0);
  const repeated = activeRequest.type === 'open' ? repeatedResults(turn ?? []) : new Set<ToolResultPart>();
  return shown.flatMap((row, index) =>
    messagesOf(row, { isPast: row.id < turnStart, shown, index, repeated }),
  );
}

interface RowPlace {
  readonly isPast: boolean;
  readonly shown: readonly MessageRow[];
  /** Index of the row in `shown`. */
  readonly index: number;
  readonly repeated: ReadonlySet<ToolResultPart>;
}

function messagesOf(row: MessageRow, place: RowPlace): ProviderMessage[] {
  switch (row.role) {
    case 'system': {
      const content = row.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return content === '' ? [] : [{ role: 'system', content }];
    }
    case 'user': {
      const content = row.parts.flatMap((part) => userContent(part, place.isPast));
      return content.length === 0 ? [] : [{ role: 'user', content }];
    }
    case 'assistant':
      return assistantMessages(row, place);
    case 'tool': {
      const content = row.parts.flatMap((part) =>
        part.type === 'tool_result' && !isHiddenResult(part, place.isPast)
          ? [toolResult(told(part, place))]
          : [],
      );
      return content.length === 0 ? [] : [{ role: 'tool', content }];
    }
    default:
      return row.role satisfies never;
  }
}

function userContent(part: RowPart, isPast: boolean): (ProviderText | ProviderFile)[] {
  switch (part.type) {
    case 'text':
      return [text(part.text)];
    case 'file':
      return fileContent(part);
    case 'summary':
      return [text(`Summary of the conversation so far:\n${part.text}`)];
    case 'corrective':
      return isPast ? [] : [text(part.text)];
    // Content that the server generates and no user writes.
    case 'response_format':
    case 'outcome':
    case 'reasoning':
    case 'tool_call':
    case 'tool_result':
    case 'source':
      return [];
    default:
      return part satisfies never;
  }
}

function assistantMessages(row: MessageRow, place: RowPlace): ProviderMessage[] {
  const { isPast, shown, index } = place;
  const content = row.parts.flatMap((part) => assistantContent(part, row, place));
  // Reasoning alone is not an answer, and providers reject a message that contains only reasoning.
  if (content.every(({ type }) => type === 'reasoning')) return [];
  const missing = unansweredCalls(row, shown, index).filter(
    ({ tool_name }) => !(isPast && tool_name === FINALIZER_NAME),
  );
  const results = missing.map((call) => toolResult(syntheticResult(call, 'interrupted')));
  return [
    { role: 'assistant', content },
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
  ];
}

function assistantContent(part: RowPart, row: MessageRow, place: RowPlace): AssistantContent[] {
  const { isPast } = place;
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ ...text(part.text), ...optionsOf(part.provider_metadata) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...optionsOf(part.provider_metadata) }];
    case 'tool_call':
      return isPast && part.tool_name === FINALIZER_NAME ? answerText(part, row, place) : [toolCall(part)];
    case 'tool_result':
      return part.provider_executed === true ? [toolResult(part)] : [];
    case 'file':
      return fileContent(part);
    case 'source':
    case 'response_format':
    case 'corrective':
    case 'summary':
    case 'outcome':
      return [];
    default:
      return part satisfies never;
  }
}

/** An accepted answer becomes assistant text. A rejected one is omitted. */
function answerText(
  { tool_call_id }: ToolCallPart,
  row: MessageRow,
  { shown, index }: RowPlace,
): ProviderText[] {
  const answer = resultsOf(row, shown, index).find(
    (part) => part.tool_call_id === tool_call_id && !part.is_error,
  );
  return answer?.result_text === undefined ? [] : [text(answer.result_text)];
}

/** Returns true for the result of the turn's own answer: its model must not get it. */
function isHiddenResult(
  { tool_name, is_error, provider_executed }: ToolResultPart,
  isPast: boolean,
): boolean {
  if (provider_executed === true) return true;
  return tool_name === FINALIZER_NAME && (isPast || !is_error);
}

/** A model that repeats a call does not see that it does. */
function told(part: ToolResultPart, { repeated }: RowPlace): ToolResultPart {
  if (!repeated.has(part)) return part;
  const said = typeof part.result === 'string' ? part.result : JSON.stringify(part.result);
  return { ...part, result: `${said}\n\n${REPEATED_RESULT}` };
}

function toolCall(call: ToolCallPart): AssistantContent {
  const { tool_call_id, tool_name, args, provider_executed, provider_metadata } = call;
  const parsed = parseJson(args);
  const isObject =
    parsed.success &&
    isSentAgain(call) &&
    typeof parsed.value === 'object' &&
    parsed.value !== null &&
    !Array.isArray(parsed.value);
  return {
    type: 'tool-call',
    toolCallId: tool_call_id,
    toolName: tool_name,
    // Arguments that are not an object were answered with an error. Providers accept objects only.
    input: isObject ? parsed.value : {},
    ...(provider_executed === true && { providerExecuted: true }),
    ...optionsOf(provider_metadata),
  };
}

function toolResult({
  tool_call_id,
  tool_name,
  result,
  is_error,
  provider_metadata,
}: ToolResultPart): ProviderToolResult {
  const output =
    typeof result === 'string'
      ? { type: is_error ? ('error-text' as const) : ('text' as const), value: result }
      : { type: is_error ? ('error-json' as const) : ('json' as const), value: result };
  return {
    type: 'tool-result',
    toolCallId: tool_call_id,
    toolName: tool_name,
    output,
    ...optionsOf(provider_metadata),
  };
}

function fileContent({
  media_type,
  filename,
  url,
  data,
}: Extract<RowPart, { readonly type: 'file' }>): ProviderFile[] {
  const source = data ?? (url !== undefined && URL.canParse(url) ? new URL(url) : undefined);
  if (source === undefined) return [];
  return [{ type: 'file', data: source, mediaType: media_type, ...(filename !== undefined && { filename }) }];
}

function text(said: string): ProviderText {
  return { type: 'text', text: said };
}

function optionsOf(metadata: ProviderMetadata | undefined): {
  readonly providerOptions?: Record<string, Record<string, JsonValue>>;
} {
  // Provider-specific JSON from the adapter, returned unchanged.
  return metadata === undefined
    ? {}
    : { providerOptions: metadata as Record<string, Record<string, JsonValue>> };
}
