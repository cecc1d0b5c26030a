/**
 * Typed questions to a chat.
 *
 * send → follow the chat (run tools, show progress) or wait for the receipt → validate the value
 * again. The receipt is the source of truth: it says how the request ended, whatever happens
 * before.
 */
import { isBareObject } from '@truecast/core/internal/output/scan/preview-json';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { ElementFeed } from '@truecast/core/internal/output/validate/element-feed';
import {
  createElementLoop,
  type ElementLoop,
  type ElementOf,
} from '@truecast/core/internal/output/validate/element-loop';
import type { Receipt } from './wire/receipt.ts';
import type { ActionRequiredEvent } from './wire/stream-event.ts';
import { toAnswerFormat, type OutputTerms } from './answer/answer-format.ts';
import { readElements, type TakePiece } from './answer/answer-elements.ts';
import type { AskOptions, AskPromise, AskResult, ClientChat } from './client-chat.ts';
import { runTools, type ClientTools } from './client-tools.ts';
import { isFinal, openReceipt } from './answer/open-receipt.ts';
import { attemptsOfRequest, type RefusedAttempt } from './refused-attempts.ts';

const WAIT_MS = 30_000;

const ASK_OPTIONS: OptionNames<AskOptions<AnyOutputDefinition>> = {
  prompt: true,
  output: true,
  name: true,
  description: true,
  limits: true,
  busyBehavior: true,
  signal: true,
  onEvent: true,
  onPartial: true,
  onAttempt: true,
  acceptsRounding: true,
};

/** A word that readers of other libraries try. */
const MOVED = { schema: 'output: Output.object({ schema })' };

/** Sends a question, and reads the elements of its answer if a loop over them has begun. */
export function toAskPromise<TDefinition extends AnyOutputDefinition>(
  options: AskOptions<TDefinition>,
  ask: (
    options: AskOptions<TDefinition>,
    elements: FeedOfLoop,
  ) => Promise<AskResult<InferOutput<TDefinition>>>,
): AskPromise<InferOutput<TDefinition>> {
  const left = new AbortController();
  const given = options as AskOptions<TDefinition> | undefined;
  const elements: ElementLoop<ElementOf<InferOutput<TDefinition>>> = createElementLoop({
    output: given?.output,
    result: () => result,
    onLeave: () => left.abort(),
  });
  const result: Promise<AskResult<InferOutput<TDefinition>>> = ask(options, {
    left: left.signal,
    feed: () => elements.feed,
  });
  return Object.assign(result, { elements });
}

/** A loop over elements that begins after the call, and can be left. */
export interface FeedOfLoop {
  readonly left: AbortSignal;
  /** Undefined before the loop has begun. */
  feed(): ElementFeed | undefined;
}

/** Sends a question and waits for the answer. See `ClientChat.ask`. */
export async function askChat<TDefinition extends AnyOutputDefinition>(
  chat: ClientChat,
  tools: ClientTools,
  options: AskOptions<TDefinition>,
  elements: FeedOfLoop,
): Promise<AskResult<InferOutput<TDefinition>>> {
  assertKnownOptions(options, { of: '`ask()`', names: ASK_OPTIONS, moved: MOVED });
  const { format, ...form } = toAnswerFormat(options);
  const { inverse } = form;
  const signal = anyOf(options.signal, elements.left);
  const since = chat.id === undefined ? '0' : String((await chat.read({ signal })).version);
  const { chatId, request_id: requestId } = await chat.send(
    {
      content: options.prompt,
      response_format: format,
      ...(options.limits !== undefined && { limits: options.limits }),
      ...(options.busyBehavior !== undefined && { busy_behavior: options.busyBehavior }),
    },
    { signal },
  );
  if (requestId === undefined) {
    throw new ServerError('The server created no request for the response format. Update the server.', {
      code: 'invalid-response',
    });
  }
  const { output, acceptsRounding = false } = options;
  const feed = elements.feed();
  const onPiece = feed && output._tag === 'array' ? readElements(feed, { output, inverse }) : undefined;
  const { onEvent, onPartial, onAttempt } = options;
  const watchers = [onEvent, onPartial, onAttempt, onPiece];
  const isFollowed = Object.keys(tools).length > 0 || watchers.some((watcher) => watcher !== undefined);
  const receipt = isFollowed
    ? await followRequest(
        { chat, tools, requestId, since, form },
        {
          signal,
          onPiece,
          ...(onEvent && { onEvent }),
          ...(onPartial && { onPartial }),
          ...(onAttempt && { onAttempt }),
        },
      )
    : await waitForReceipt(chat, requestId, signal);
  const value = await openReceipt(receipt, { chatId, output, inverse, acceptsRounding, known: feed });
  return { output: value, receipt, chatId, requestId };
}

function anyOf(own: AbortSignal | undefined, left: AbortSignal): AbortSignal {
  return own === undefined ? left : AbortSignal.any([own, left]);
}

async function waitForReceipt(
  chat: ClientChat,
  requestId: string,
  signal: AbortSignal | undefined,
): Promise<Receipt> {
  for (;;) {
    const receipt = await chat.request(requestId, { waitMs: WAIT_MS, signal });
    if (isFinal(receipt)) return receipt;
  }
}

interface Followed {
  readonly chat: ClientChat;
  readonly tools: ClientTools;
  readonly requestId: string;
  readonly since: string;
  readonly form: OutputTerms;
}

/** Seen by the caller while the chat is followed. A preview has any shape until it is validated. */
interface Watcher extends Pick<AskOptions<AnyOutputDefinition>, 'onEvent'> {
  readonly signal: AbortSignal;
  onPartial?(value: unknown): void;
  onAttempt?(attempt: RefusedAttempt<unknown>): void;
  readonly onPiece: TakePiece | undefined;
}

/** Follows the chat and runs its tools until the receipt is final. */
async function followRequest(
  { chat, tools, requestId, since, form }: Followed,
  { signal, onEvent, onPartial, onAttempt, onPiece }: Watcher,
): Promise<Receipt> {
  const stopping = new AbortController();
  const both = AbortSignal.any([signal, stopping.signal]);
  const answered = new Set<string>();
  const failed = Promise.withResolvers<never>();
  // The race below rejects with the error. This handler prevents an unhandled rejection.
  failed.promise.catch(() => undefined);
  const refusedIn = attemptsOfRequest(requestId, form);
  let step = 0;
  const follow = async (): Promise<Receipt> => {
    for await (const { event } of chat.events({ lastEventId: since, signal: both })) {
      onEvent?.(event);
      const refused = onAttempt && refusedIn(event);
      if (refused !== undefined) onAttempt?.(refused);
      if (event.type === 'message' && event.message.role === 'assistant') step = event.message.id;
      if (event.type === 'partial' && event.request_id === requestId && !isBareObject(event.value)) {
        onPartial?.(form.inverse(event.value));
      }
      if (event.type === 'part' && event.request_id === requestId) await onPiece?.(event);
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
    signal.throwIfAborted();
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
