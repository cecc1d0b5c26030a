/**
 * Typed questions to a chat.
 *
 * send → follow the chat (run tools, show progress) or wait for the receipt → validate the value
 * again. The receipt is the source of truth: it says how the request ended, whatever happens
 * before.
 */
import {
  RequestEndedError,
  type RequestEndedErrorCode,
} from '@truecast/core/internal/errors/request-ended-error';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { mismatchError } from '@truecast/core/internal/output/definition/answer-errors';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import { outputJsonSchema } from '@truecast/core/internal/output/definition/output-json-schema';
import { showPath } from '@truecast/core/internal/output/json/show-path';
import { exceptionError, validateValue } from '@truecast/core/internal/output/validate/validate-value';
import { findInexact, type InexactPart } from '@truecast/core/internal/schema/json-text/find-inexact';
import { isObjectRoot, unwrapRoot, wrapRoot } from '@truecast/core/internal/schema/wrap-root';
import type { Receipt } from './wire/receipt.ts';
import type { JsonSchemaFormat } from './wire/response-format.ts';
import type { ActionRequiredEvent } from './wire/stream-event.ts';
import type { AskOptions, AskResult } from './ask-options.ts';
import type { ClientChat } from './client-chat.ts';
import { runTools, type ClientTools } from './client-tools.ts';

const WAIT_SECONDS = 30;

/** Sends a question and waits for the answer. See `ClientChat.ask`. */
export async function askChat<TDefinition extends AnyOutputDefinition>(
  chat: ClientChat,
  tools: ClientTools,
  options: AskOptions<TDefinition>,
): Promise<AskResult<InferOutput<TDefinition>>> {
  const { format, inverse } = toFormat(options);
  const { signal } = options;
  const since =
    chat.id === undefined ? '0' : String((await chat.read({ ...(signal && { signal }) })).version);
  const { chatId, request_id: requestId } = await chat.send(
    {
      content: options.message,
      response_format: format,
      ...(options.limits !== undefined && { limits: options.limits }),
      ...(options.busyBehavior !== undefined && { busy_behavior: options.busyBehavior }),
    },
    { ...(signal && { signal }) },
  );
  if (requestId === undefined) {
    throw new ServerError('The server created no request for the response format. Update the server.', {
      code: 'invalid-response',
    });
  }
  const isFollowed =
    Object.keys(tools).length > 0 || options.onEvent !== undefined || options.onPartial !== undefined;
  const receipt = isFollowed
    ? await followRequest({ chat, tools, requestId, since }, options)
    : await waitForReceipt(chat, requestId, signal);
  const { output, acceptsRounding = false } = options;
  const value = await openReceipt(receipt, { chatId, output, inverse, acceptsRounding });
  return { value, receipt, chatId, requestId };
}

interface Wanted {
  readonly format: JsonSchemaFormat;
  readonly inverse: (value: unknown) => unknown;
}

function toFormat({ output, name = 'answer', description }: AskOptions<AnyOutputDefinition>): Wanted {
  const schema = outputJsonSchema(output);
  if (schema === undefined) {
    throw new UsageError(
      'Expected `output` to have a JSON Schema, got `Output.string()`. Ask for an object with one string, or send a message without a format.',
      { code: 'unsupported' },
    );
  }
  const isObject = typeof schema === 'object' && isObjectRoot(schema);
  return {
    format: {
      type: 'json_schema',
      json_schema: {
        name,
        ...(description !== undefined && { description }),
        schema: isObject ? { ...schema } : wrapRoot(schema),
      },
    },
    inverse: isObject ? (value) => value : unwrapRoot,
  };
}

async function waitForReceipt(
  chat: ClientChat,
  requestId: string,
  signal: AbortSignal | undefined,
): Promise<Receipt> {
  for (;;) {
    const receipt = await chat.request(requestId, { waitSeconds: WAIT_SECONDS, ...(signal && { signal }) });
    if (isFinal(receipt)) return receipt;
  }
}

interface Followed {
  readonly chat: ClientChat;
  readonly tools: ClientTools;
  readonly requestId: string;
  readonly since: string;
}

/** Follows the chat and runs its tools until the receipt is final. */
async function followRequest(
  { chat, tools, requestId, since }: Followed,
  { signal, onEvent, onPartial }: AskOptions<AnyOutputDefinition>,
): Promise<Receipt> {
  const stopping = new AbortController();
  const both = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]);
  const answered = new Set<string>();
  const failed = Promise.withResolvers<never>();
  // The awaiting caller gets the error. Without a caller it is not a fault.
  failed.promise.catch(() => undefined);
  let step = 0;
  const follow = async (): Promise<Receipt> => {
    for await (const { event } of chat.events({ lastEventId: since, signal: both })) {
      onEvent?.(event);
      if (event.type === 'message' && event.message.role === 'assistant') step = event.message.id;
      if (event.type === 'partial' && event.request_id === requestId) onPartial?.(event.value);
      if (event.type === 'receipt' && event.receipt.request_id === requestId && isFinal(event.receipt)) {
        return event.receipt;
      }
      if (event.type === 'action_required' && isNew(event, step, answered)) {
        void answerCalls(chat, tools, event, both).catch(failed.reject);
      }
    }
    return chat.request(requestId);
  };
  try {
    return await Promise.race([follow(), failed.promise]);
  } catch (error) {
    signal?.throwIfAborted();
    const isGone = ServerError.isInstance(error) && error.problem?.code === 'chat_not_found';
    if (!isGone) throw error;
    // The receipt of an open request outlives its chat.
    return await chat.request(requestId);
  } finally {
    stopping.abort();
  }
}

/**
 * A waiting chat is reported again after each change, such as a queued message. Providers reuse
 * call ids in later steps.
 */
function isNew({ tool_calls }: ActionRequiredEvent, step: number, answered: Set<string>): boolean {
  const key = JSON.stringify([step, tool_calls.map(({ tool_call_id, args }) => [tool_call_id, args])]);
  const isKnown = answered.has(key);
  answered.add(key);
  return !isKnown;
}

async function answerCalls(
  chat: ClientChat,
  tools: ClientTools,
  { tool_calls }: ActionRequiredEvent,
  signal: AbortSignal,
): Promise<void> {
  const results = await runTools(tools, tool_calls, signal);
  if (results === undefined) return;
  try {
    await chat.submitToolResults(results, { signal });
  } catch (error) {
    // Another client answered, or the turn ended: the receipt shows it.
    if (!ServerError.isInstance(error) || error.problem?.code !== 'not_allowed') throw error;
  }
}

function isFinal({ status }: Receipt): boolean {
  return status !== 'queued' && status !== 'running';
}

interface Opening<TDefinition extends AnyOutputDefinition> {
  readonly chatId: string;
  readonly output: TDefinition;
  readonly inverse: (value: unknown) => unknown;
  readonly acceptsRounding: boolean;
}

/** Returns the value of a receipt, validated by the caller's schema. */
async function openReceipt<TDefinition extends AnyOutputDefinition>(
  receipt: Receipt,
  { chatId, output, inverse, acceptsRounding }: Opening<TDefinition>,
): Promise<InferOutput<TDefinition>> {
  const { error, value, value_text: raw = '', request_id: requestId } = receipt;
  if (receipt.status !== 'succeeded') {
    throw new RequestEndedError(error?.message ?? 'The request ended without an answer. Read its receipt.', {
      // The error has the code of the receipt, with hyphens.
      code: (error?.code ?? 'generation_failed').replaceAll('_', '-') as RequestEndedErrorCode,
      chatId,
      requestId,
      receipt,
      ...(error?.reason !== undefined && { reason: error.reason }),
    });
  }
  const part = findInexact(raw, value);
  const isAccepted = part === undefined || (part.kind === 'integer' && acceptsRounding);
  if (!isAccepted) throw refuseRounding(raw, part);
  const verdict = await validateValue(inverse(value), output).catch((cause: unknown) => {
    throw exceptionError(output, raw, cause);
  });
  if (verdict.type === 'rejected') throw mismatchError(output, raw, verdict);
  // The definition's own schema has accepted the value.
  return verdict.value as InferOutput<TDefinition>;
}

/** The server validated the answer with every digit. Only JavaScript cannot hold it. */
function refuseRounding(raw: string, { path, message }: InexactPart): StructuredOutputError {
  const issues = [{ path, message }];
  return new StructuredOutputError(
    `The answer is valid on the server, but JavaScript cannot represent it exactly at ${showPath(path)}: ${message}. Use a string in the schema, or set \`acceptsRounding\` and read \`receipt.value_text\`.`,
    { code: 'schema-mismatch', rawMatched: raw, issues, cause: issues },
  );
}
