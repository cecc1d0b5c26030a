/** History of a chat as UI messages, equal to those that were streamed. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { ToolCallPart, ToolResultPart } from '../wire/message-parts.ts';
import type { MessageView } from '../wire/message.ts';
import type { Receipt } from '../wire/receipt.ts';
import {
  type InferPageTools,
  type PageTools,
  type TruecastUIMessage,
  answerMessageId,
  refusedParts,
  userMessageId,
} from './ui-message.ts';
import { attemptReader } from '../refused-attempts.ts';
import { requestedAnswer, type AnswerOf, type RequestedAnswer } from './requested-answer.ts';
import { fileUrl, isStep, shownParts, type ShownPart } from './step-chunks.ts';
import { errorTextOf, readInput, toolMarks } from './tool-parts.ts';

/** Options of a history. */
export interface ToUIMessagesOptions<TDefinition extends AnyOutputDefinition, TTools extends PageTools> {
  /** Final receipts of the messages, for `data-receipt`. @default [] */
  readonly receipts?: readonly Receipt[];
  /** The output of the receipts. Their values are validated by its schema. */
  readonly output?: TDefinition;
  /** Tools that the page runs. @default none */
  readonly tools?: TTools;
}

type Part = TruecastUIMessage['parts'][number];

/**
 * Converts the rows of a chat, oldest first, to messages of `useChat`.
 *
 * All rows between two messages of the user are one message of the assistant. Rows before the first
 * message of the user are left out.
 *
 * @throws UsageError if the schema of `output` does not accept the value of a receipt
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const chat = client.chat({ id: 'd6c3b975-6629-4881-ac66-6252f6613c83' });
 * const { messages } = await chat.messages({ limit: 200 });
 * const requests = messages.flatMap(({ request_id }) => request_id ?? []);
 * const receipts = await Promise.all(requests.map((id) => chat.request(id)));
 * console.log(await toUIMessages(messages, { receipts }));
 * ```
 * @public
 */
export async function toUIMessages<
  TDefinition extends AnyOutputDefinition = never,
  TTools extends PageTools = PageTools,
>(
  rows: readonly MessageView[],
  options: ToUIMessagesOptions<TDefinition, TTools> = {},
): Promise<TruecastUIMessage<AnswerOf<TDefinition>, InferPageTools<TTools>>[]> {
  assertKind(rows, 'an array', 'messages', 'Pass the messages of `chat.messages()`.');
  for (const row of rows) assertKind(row, 'an object', 'messages', 'Each is a message of the chat.');
  assertKind(options, 'an object', 'options', 'Pass `{ receipts, output }`, or leave it out.');
  const { receipts = [], output, tools } = options;
  const pageTools = new Set(Object.keys(tools ?? {}));
  const answer = requestedAnswer(output === undefined ? {} : { output });
  const messages: TruecastUIMessage[] = [];
  for (const [index, row] of rows.entries()) {
    if (row.role !== 'user') continue;
    messages.push({ id: userMessageId(row), role: 'user', parts: shownParts(row).flatMap(contentPart) });
    const next = rows.findIndex(({ role }, at) => at > index && role === 'user');
    const parts = answerParts(rows.slice(index + 1, next === -1 ? undefined : next), { pageTools, answer });
    const receipt = receipts.find(({ request_id }) => request_id === row.request_id);
    if (receipt !== undefined) parts.push(await receiptPart(receipt, row.chat_id, answer));
    if (parts.length === 0) continue;
    const metadata = { chatId: row.chat_id, awaiting: [] };
    messages.push({ id: answerMessageId(row.id), role: 'assistant', metadata, parts });
  }
  // The schema of `TDefinition` accepted the values, and the server the names of tools.
  return messages as TruecastUIMessage<AnswerOf<TDefinition>, InferPageTools<TTools>>[];
}

async function receiptPart(
  receipt: Receipt,
  chatId: string,
  answer: RequestedAnswer | undefined,
): Promise<Part> {
  const part = { type: 'data-receipt', id: receipt.request_id, data: receipt } as const;
  if (answer === undefined) return part;
  const typed = await answer.open(part, chatId);
  if (typed.type === 'data-receipt') return { ...part, data: typed.data };
  throw new UsageError(
    `Expected \`output\` to accept the value of the request ${receipt.request_id}. ${typed.type === 'error' ? typed.errorText : ''}`,
  );
}

interface AnswerReading {
  readonly pageTools: ReadonlySet<string>;
  readonly answer: RequestedAnswer | undefined;
}

function answerParts(rows: readonly MessageView[], { pageTools, answer }: AnswerReading): Part[] {
  const refusedIn = attemptReader();
  return rows.flatMap((row, index): Part[] => {
    const attempt = refusedIn(row);
    const refused = refusedParts(row, attempt && (answer?.openAttempt(attempt) ?? attempt));
    if (!isStep(row)) return refused;
    // Providers reuse the ids of calls in later steps.
    const next = rows.findIndex((other, at) => at > index && isStep(other));
    const results = rows
      .slice(index, next === -1 ? undefined : next)
      .flatMap(({ content }) => content.filter((part) => part.type === 'tool_result'));
    const parts = shownParts(row).flatMap((part, at): Part[] => {
      if (part.type !== 'tool_call') return contentPart(part, at, row.id);
      const result = results.find(({ tool_call_id }) => tool_call_id === part.tool_call_id);
      return [callPart(part, result, pageTools)];
    });
    return [{ type: 'step-start' }, ...parts, ...refused];
  });
}

function contentPart(part: ShownPart, index: number, rowId: unknown): Part[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, state: 'done' }];
    case 'reasoning':
      return [{ type: 'reasoning', id: `${String(rowId)}-${index}`, text: part.text, state: 'done' }];
    case 'source': {
      const { source_id: sourceId, url, title } = part;
      return url === undefined
        ? []
        : [{ type: 'source-url', sourceId, url, ...(title !== undefined && { title }) }];
    }
    case 'file': {
      const { filename } = part;
      const name = filename === undefined ? {} : { filename };
      return [{ type: 'file', mediaType: part.media_type, ...name, url: fileUrl(part) }];
    }
    default:
      return [];
  }
}

function callPart(
  { tool_call_id: toolCallId, tool_name: toolName, args }: ToolCallPart,
  result: ToolResultPart | undefined,
  pageTools: ReadonlySet<string>,
): Part {
  const call = { toolCallId, input: readInput(args) };
  const { providerExecuted } = toolMarks(toolName, pageTools);
  const name =
    providerExecuted === true
      ? ({ type: 'dynamic-tool', toolName, providerExecuted } as const)
      : ({ type: `tool-${toolName}` } as const);
  if (result === undefined) return { ...name, ...call, state: 'input-available' };
  return result.is_error
    ? { ...name, ...call, state: 'output-error', errorText: errorTextOf(result) }
    : { ...name, ...call, state: 'output-available', output: result.result };
}
