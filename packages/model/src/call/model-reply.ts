/** One request to a model and its reply, in the terms of the modes. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { loadPackage } from '@truecast/core/internal/errors/load-package';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import type { ModelMessage, StepResult, ToolSet } from 'ai';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { GenerateModel } from './generate-options.ts';
import { startGathering } from './gather-reply.ts';
import { createModelMask } from './model-mask.ts';
import { brokenOff, hasBegun, ownErrorIn, readStream } from './read-stream.ts';
import { endedReply, stoppedReply, watchOf } from '../runaway/runaway-reply.ts';
import { startTimeLimits, type TimeLimits } from './time-limits.ts';
import { sdkRequestOf, type ReplyRequest, type SdkRequest } from './sdk-request.ts';
import { toUsage, type Sdk } from './sdk-terms.ts';
import { afterClosing, noteAnswered } from '../failure/ended-server.ts';
import { shownModel } from '../failure/shown-model.ts';
import { unreachable } from '../failure/unreachable.ts';
import { whileLoading } from '../failure/while-loading.ts';

/** Provider name of `openAICompatible()`. */
export const COMPATIBLE_PROVIDER = 'openai-compatible.chat';

export interface ModelToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The value, or the text if it is not JSON. */
  readonly input: unknown;
  /** True if `input` is text that is not JSON. */
  readonly isUnreadable: boolean;
}

export interface ModelReply {
  readonly text: string;
  /** The reasoning that the service reports, or an empty string. */
  readonly reasoningText: string;
  readonly toolCalls: readonly ModelToolCall[];
  /** The SDK's name of the reason, or `RUNAWAY`, or `STOPPED`. */
  readonly finishReason: string;
  /** Repeated part of a runaway reply. */
  readonly repeats?: string;
  /** The model's messages, to be sent back in the next request. */
  readonly messages: readonly ModelMessage[];
  /** Undefined if the service reported none. */
  readonly usage: Usage | undefined;
  readonly modelId: string;
  /** The raw tool input. Streams only. */
  readonly toolInputText?: string;
  /** True if the provider omitted the schema from the request. */
  readonly droppedSchema: boolean;
}

/**
 * Sends one request without retries, when its server has loaded the model. Rejects with the provider's
 * error, or a ModelError for an interrupted stream.
 */
export async function requestReply(call: ReplyRequest): Promise<ModelReply> {
  loaded ??= loadPackage(['ai'], () => import('ai'));
  const ai = await loaded;
  return whileLoading(() => requestOnce(call, ai), { ...call.timeouts, signal: call.signal });
}

/** Imported once: an import costs as much as a span. A missing package stays missing. */
let loaded: Promise<Sdk> | undefined;

async function requestOnce(call: ReplyRequest, ai: Sdk): Promise<ModelReply> {
  const limits = startTimeLimits({ ...call.timeouts, signal: call.signal });
  try {
    const reply = withShownModel(call, await send(call, limits, ai));
    noteAnswered(call.model);
    return reply;
  } catch (thrown) {
    limits.abandon();
    const error = maskedFor(call, thrown);
    const timedOut = limits.reached(error);
    if (timedOut !== undefined) throw timedOut;
    const failure = hasBegun(error) ? brokenOff(error) : (ownErrorIn(error) ?? unreachable(error) ?? error);
    throw ModelError.isInstance(failure) ? afterClosing(call.model, failure) : failure;
  } finally {
    limits.stop();
  }
}

/** Streams if possible, because timeouts of `fetch` and of proxies interrupt a whole reply. */
async function send(call: ReplyRequest, limits: TimeLimits, ai: Sdk): Promise<ModelReply> {
  const request = sdkRequestOf(call, ai, limits.signal);
  const mask = (error: unknown): unknown => maskedFor(call, error);
  if (!isStreamed(call)) return sendWhole(request, { ai, mask });
  const gathered = call.onDelta === undefined ? await sendGathered(call, { limits, ai, mask }) : undefined;
  if (gathered?.reply !== undefined) return gathered.reply;
  try {
    return await sendStreamed(call, gathered?.resumed ?? request, { limits, ai, mask });
  } catch (error) {
    if (call.onDelta !== undefined || !refusesStream(error)) throw error;
    unstreamed.add(call.model);
    return sendWhole(request, { ai, mask });
  }
}

/**
 * Reads a streamed reply as a whole, without a listener. Otherwise returns the request that reads the
 * same response as a stream.
 */
async function sendGathered(
  call: ReplyRequest,
  { limits, ai }: Streaming,
): Promise<{ readonly reply?: ModelReply; readonly resumed?: SdkRequest } | undefined> {
  const watch = watchOf(call);
  const gathering = await startGathering(call.model, limits.signal, (piece) => {
    limits.progressed();
    return watch.take(piece) === undefined;
  });
  if (gathering === undefined) return undefined;
  try {
    const result = await ai.generateText(sdkRequestOf(call, ai, limits.signal, gathering.model));
    const reply = toReply(result.finalStep, result.responseMessages);
    const toolInputText = gathering.toolInputText();
    return { reply: { ...reply, ...(toolInputText !== undefined && { toolInputText }) } };
  } catch {
    const model = await gathering.resumed();
    return model && { resumed: sdkRequestOf(call, ai, limits.signal, model) };
  }
}

async function sendWhole(request: SdkRequest, { ai, mask }: Sending): Promise<ModelReply> {
  const result = await ai.generateText(request).catch((error: unknown) => {
    throw request.abortSignal.aborted ? error : asProviderFailure(mask(error));
  });
  return toReply(result.finalStep, result.responseMessages);
}

/** For an unexpected reply, a provider can throw a built-in error, such as a TypeError. */
function asProviderFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isKnown = error.name.startsWith('AI_') || TruecastError.isInstance(error);
  if (isKnown || ownErrorIn(error) !== undefined || unreachable(error) !== undefined) return error;
  return new ModelError(
    `The model's provider failed with ${error.name}: ${cut(error.message)} Update its package, or try another \`mode\`.`,
    { code: 'http', cause: error },
  );
}

async function sendStreamed(
  call: ReplyRequest,
  request: SdkRequest,
  { limits, ai, mask }: Streaming,
): Promise<ModelReply> {
  const result = ai.streamText({ ...request, onError: () => undefined });
  const { ended, ...read } = await readStream(result.stream, {
    onDelta: (delta) => call.onDelta?.(delta),
    onPiece: limits.progressed,
    mask,
    watch: watchOf(call),
  });
  if (ended === undefined) {
    return { ...toReply(await result.finalStep, await result.responseMessages), ...read };
  }
  // Otherwise the engine continues without a reader.
  limits.abandon();
  if (ended.repeats === undefined) return { ...stoppedReply(call, { ...ended, ...read }), ...read };
  return { ...endedReply(call, read.toolInputText), ...ended, ...read };
}

interface Sending {
  readonly ai: Sdk;
  mask(error: unknown): unknown;
}

interface Streaming extends Sending {
  readonly limits: TimeLimits;
}

function maskedFor({ model, headers, signal }: ReplyRequest, error: unknown): unknown {
  // The reason of the caller's own signal is returned unchanged.
  return signal?.aborted === true ? error : maskValue(error, createModelMask(model, headers));
}

/** The model's name is stored and shown with each call, and a service can answer with the key in it. */
function withShownModel({ model, headers }: ReplyRequest, reply: ModelReply): ModelReply {
  const modelId = shownModel(reply.modelId, model.modelId);
  if (modelId === model.modelId) return { ...reply, modelId };
  return { ...reply, modelId: createModelMask(model, headers).mask(modelId) };
}

/** Models whose server refused a stream. */
const unstreamed = new WeakSet<GenerateModel>();

/** A reply is streamed for a listener, for an idle limit, and from servers on a slow machine. */
function isStreamed({ model, onDelta, timeouts }: ReplyRequest): boolean {
  if (onDelta !== undefined) return true;
  const isSlow = timeouts?.idleMs !== undefined || model.provider === COMPATIBLE_PROVIDER;
  return isSlow && !unstreamed.has(model);
}

function refusesStream(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const body = 'responseBody' in error ? String(error.responseBody) : '';
  return [400, 422, 501].includes(Number(error.statusCode)) && /stream/iu.test(`${error.message} ${body}`);
}

function toReply(step: StepResult<ToolSet>, messages: readonly ModelMessage[]): ModelReply {
  return {
    text: step.text,
    reasoningText: step.reasoningText ?? '',
    toolCalls: step.toolCalls.map(toToolCall),
    finishReason: step.finishReason,
    messages: messages.filter(({ role, content }) => role === 'assistant' && content.length > 0),
    usage: toUsage(step.usage),
    modelId: step.response.modelId,
    droppedSchema: (step.warnings ?? []).some(
      (warning) => warning.type === 'unsupported' && warning.feature === 'responseFormat',
    ),
  };
}

interface SdkToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly invalid?: boolean | undefined;
}

function toToolCall({ toolCallId, toolName, input, invalid }: SdkToolCall): ModelToolCall {
  return { toolCallId, toolName, input, isUnreadable: invalid === true && typeof input === 'string' };
}

/** Returns true if a content filter withheld the answer, so that the received text is not one. */
export function isWithheld({ finishReason }: ModelReply): boolean {
  return finishReason === 'content-filter';
}

/** Texts that can contain an answer, by any mode. */
export function saidIn({ text, toolCalls, toolInputText }: ModelReply): string | undefined {
  const input = toolCalls.at(-1)?.input;
  const written = toolInputText ?? (typeof input === 'string' ? input : JSON.stringify(input));
  return written ?? (text === '' ? undefined : text);
}
