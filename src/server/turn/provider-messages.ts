/** Owns what a model is shown of a chat: its rows from the latest summary on, without anything that only the server or the client is to see. Pure. */
import { FINALIZER_NAME } from '../../output/finalizer/finalizer-tool.ts';
import { parseJson } from '../../output/parse-json.ts';
import type { JsonValue } from '../../schema/json-value.ts';
import type { MessagePart, ProviderMetadata, ToolCallPart, ToolResultPart } from '../contract/parts.ts';
import type { MessageRow } from '../contract/rows.ts';
import { activeRequest } from '../format/active-request.ts';
import { summaryIndex } from './context-state.ts';
import type {
  AssistantContent,
  ProviderFile,
  ProviderMessage,
  ProviderText,
  ProviderToolResult,
} from './provider-message.ts';
import { syntheticResult } from './synthetic-results.ts';
import { currentTurn, resultsOf, unansweredCalls } from '../contract/turn-rows.ts';

/**
 * Makes the messages of a prompt out of a chat's rows.
 *
 * An answer of an earlier turn is shown as what the assistant said, so that it can be spoken of; what was tried for it is left out. Calls without a
 * result get one that says so.
 */
export function providerMessages(rows: readonly MessageRow[]): ProviderMessage[] {
  const shown = rows
    .slice(Math.max(0, summaryIndex(rows)))
    .filter(({ isDeleted, visibility }) => !isDeleted && visibility !== 'user');
  const isOver = activeRequest(rows).type === 'closed';
  const turnStart = isOver ? Infinity : (currentTurn(rows)?.[0].id ?? 0);
  return shown.flatMap((row, index) => messagesOf(row, { isPast: row.id < turnStart, shown, index }));
}

interface RowPlace {
  readonly isPast: boolean;
  readonly shown: readonly MessageRow[];
  /** Where the row stands in `shown`. */
  readonly index: number;
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
        part.type === 'tool-result' && !isHiddenResult(part, place.isPast) ? [toolResult(part)] : [],
      );
      return content.length === 0 ? [] : [{ role: 'tool', content }];
    }
    default:
      return row.role satisfies never;
  }
}

function userContent(part: MessagePart, isPast: boolean): (ProviderText | ProviderFile)[] {
  switch (part.type) {
    case 'text':
      return [text(part.text)];
    case 'file':
      return fileContent(part);
    case 'summary':
      return [text(`Summary of the conversation so far:\n${part.text}`)];
    case 'corrective':
      return isPast ? [] : [text(part.text)];
    // What the server made for itself, and what no user writes.
    case 'response-format':
    case 'outcome':
    case 'reasoning':
    case 'tool-call':
    case 'tool-result':
    case 'source':
      return [];
    default:
      return part satisfies never;
  }
}

function assistantMessages(row: MessageRow, place: RowPlace): ProviderMessage[] {
  const { isPast, shown, index } = place;
  const content = row.parts.flatMap((part) => assistantContent(part, row, place));
  // Thoughts alone answer nothing, and providers refuse a message of nothing else.
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

function assistantContent(part: MessagePart, row: MessageRow, place: RowPlace): AssistantContent[] {
  const { isPast } = place;
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ ...text(part.text), ...optionsOf(part.provider_metadata) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...optionsOf(part.provider_metadata) }];
    case 'tool-call':
      return isPast && part.tool_name === FINALIZER_NAME ? answerText(part, row, place) : [toolCall(part)];
    case 'tool-result':
      return part.provider_executed === true ? [toolResult(part)] : [];
    case 'file':
      return fileContent(part);
    case 'source':
    case 'response-format':
    case 'corrective':
    case 'summary':
    case 'outcome':
      return [];
    default:
      return part satisfies never;
  }
}

/** An accepted answer is what the assistant said; one that was not accepted was never said. */
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

/** The answer of the turn itself never comes back to the model that gave it. */
function isHiddenResult(
  { tool_name, is_error, provider_executed }: ToolResultPart,
  isPast: boolean,
): boolean {
  if (provider_executed === true) return true;
  return tool_name === FINALIZER_NAME && (isPast || !is_error);
}

function toolCall({
  tool_call_id,
  tool_name,
  args,
  provider_executed,
  provider_metadata,
}: ToolCallPart): AssistantContent {
  const parsed = parseJson(args);
  const isObject =
    parsed.success &&
    typeof parsed.value === 'object' &&
    parsed.value !== null &&
    !Array.isArray(parsed.value);
  return {
    type: 'tool-call',
    toolCallId: tool_call_id,
    toolName: tool_name,
    // Arguments that are no object were answered by an error; providers take nothing else.
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
}: Extract<MessagePart, { readonly type: 'file' }>): ProviderFile[] {
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
  // It came from the provider's adapter as JSON by provider, and goes back as it came.
  return metadata === undefined
    ? {}
    : { providerOptions: metadata as Record<string, Record<string, JsonValue>> };
}
