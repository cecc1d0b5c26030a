/** Sends one model call of a turn and reads its stream, without retries. */
import { sentToolSchema } from '@truecast/model/internal/modes/answer-mode';
import type { Tool, ToolSet } from 'ai';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { replyTooLarge } from '@truecast/model/internal/call/model-fetch';
import { partBytes } from '@truecast/model/internal/call/part-bytes';
import { startTimeLimits } from '@truecast/model/internal/call/time-limits';
import { ownErrorIn } from '@truecast/model/internal/call/read-stream';
import { afterClosing, noteAnswered } from '@truecast/model/internal/failure/ended-server';
import { watchReply, type ReplyWatch } from '@truecast/model/internal/runaway/watch-reply';
import { shownModel } from '@truecast/model/internal/failure/shown-model';
import { unreachable } from '@truecast/model/internal/failure/unreachable';
import {
  isEnd,
  answerForm,
  requiringTool,
  toUsage,
  type Sdk,
  type SdkModel,
} from '@truecast/model/internal/call/sdk-terms';
import type { RowFinish } from '../contract/rows.ts';
import { FINISH_REASONS } from '../contract/wire-codes.ts';
import { collectParts, type CollectedParts } from './collect-parts.ts';
import { partsUntil } from './parts-until.ts';
import { startCall, type SdkCallOptions, type SdkPart } from './sdk-call.ts';
import { takenBack } from './taken-back.ts';
import type { StepReply, StepRequest } from './step-request.ts';

const DEFAULT_MAX_REPLY_BYTES = 8 * 1024 * 1024;

/**
 * Calls the model once.
 *
 * Returns the received parts with `interrupted` if the signal aborts, and with `runaway` if the reply
 * repeats itself without end. Usage is then unknown. Rejects with the provider's error, or with a
 * `ModelError`: `stream` if the stream broke, `timeout` if it stalled,
 * `too-large` if the reply exceeds its limit. Such a reply is not kept, because no later call could
 * send it again.
 */
export async function streamStep(request: StepRequest): Promise<StepReply> {
  const clock = startClock();
  const ai = await import('ai');
  const state: StepState = {
    collected: collectParts(request.model),
    usage: undefined,
    modelId: '',
    clock,
    firstTokenMs: undefined,
  };
  const { model } = request.model;
  const finishReason = await readAll(request, ai, state).catch((error: unknown) => {
    throw ModelError.isInstance(error) ? afterClosing(model, error) : error;
  });
  noteAnswered(model);
  return {
    parts: state.collected.parts(),
    finishReason,
    usage: state.usage,
    modelId: shownModel(state.modelId === '' ? model.modelId : state.modelId, model.modelId),
    startedAt: clock.startedAt,
    ...(state.firstTokenMs !== undefined && {
      firstTokenAt: clock.startedAt + Math.floor(state.firstTokenMs),
    }),
    durationMs: clock.elapsedMs(),
  };
}

/** Wall-clock start, and milliseconds since then on a monotonic clock. */
interface CallClock {
  readonly startedAt: number;
  elapsedMs(): number;
}

function startClock(): CallClock {
  const startedMs = performance.now();
  return { startedAt: Date.now(), elapsedMs: () => performance.now() - startedMs };
}

/** Parts of a stream before the first token of a reply, or after its last one. */
const NO_CONTENT: ReadonlySet<string> = new Set([
  'start',
  'start-step',
  'model-call-start',
  'model-call-response-metadata',
  'text-start',
  'reasoning-start',
  'ping',
  'raw',
  'model-call-end',
  'finish-step',
  'finish',
]);

interface StepState {
  readonly collected: CollectedParts;
  usage: Usage | undefined;
  modelId: string;
  readonly clock: CallClock;
  firstTokenMs: number | undefined;
}

async function readAll(request: StepRequest, ai: Sdk, state: StepState): Promise<RowFinish> {
  const { model, signal, silenceMs = model.timeouts?.idleMs } = request;
  const { maxReplyBytes = DEFAULT_MAX_REPLY_BYTES } = request;
  const limits = startTimeLimits({ requestMs: model.timeouts?.requestMs, idleMs: silenceMs, signal });
  const watch = watchOf(request);
  let leftBytes = maxReplyBytes;
  try {
    const call = startCall(ai, optionsOf(request, ai, limits.signal));
    for await (const part of partsUntil(limits.signal, call)) {
      limits.progressed();
      if (part.type === 'error') throw part.error;
      const finishReason = takeEnd(part, state);
      if (finishReason !== undefined) return finishReason;
      leftBytes -= partBytes(part);
      if (leftBytes < 0) throw replyTooLarge(maxReplyBytes);
      if (!NO_CONTENT.has(part.type)) state.firstTokenMs ??= state.clock.elapsedMs();
      const live = state.collected.take(part);
      if (live !== undefined) request.onLivePart?.(live);
      if (watch.take(part) === undefined) continue;
      // The engine would continue without a reader.
      limits.abandon();
      return 'runaway';
    }
  } catch (error) {
    // Otherwise the service would continue and bill it.
    limits.abandon();
    if (!signal.aborted) throw limits.reached(error) ?? brokenOff(error);
  } finally {
    limits.stop();
  }
  if (signal.aborted) return 'interrupted';
  throw limits.reached(undefined) ?? brokenOff(undefined);
}

function watchOf({ model, nativeSchema, isJsonMode, tools, toolChoice = 'auto' }: StepRequest): ReplyWatch {
  return watchReply({
    endRunaways: model.endRunaways,
    // A model that must call a tool can write its input as text.
    keepsDigits: true,
    isJson: nativeSchema !== undefined || isJsonMode === true || isForced(toolChoice),
    schemas: [nativeSchema?.schema, ...tools.map(({ inputSchema }) => inputSchema)],
  });
}

/** Takes the facts of the call. Returns the reason at its end. */
function takeEnd(part: SdkPart, state: StepState): RowFinish | undefined {
  if (part.type === 'model-call-response-metadata') state.modelId = part.modelId ?? state.modelId;
  if (part.type === 'finish-step') state.modelId = part.response.modelId;
  if (part.type === 'finish-step' || part.type === 'model-call-end') state.usage = toUsage(part.usage);
  if (part.type !== 'finish' && part.type !== 'model-call-end') return undefined;
  return isEnd(part) ? toFinishReason(part) : undefined;
}

function optionsOf(request: StepRequest, ai: Sdk, signal: AbortSignal): SdkCallOptions {
  const { model } = request;
  const tools = toolSet(request, ai);
  const hasTools = Object.keys(tools).length > 0;
  // Its methods were checked before. The SDK checks its specification version.
  const sdkModel = model.model as unknown as SdkModel;
  const providerOptions =
    request.withoutThinking === true
      ? (model.withoutThinking ?? model.providerOptions)
      : model.providerOptions;
  const { toolChoice = 'auto', maxOutputTokens = model.maxOutputTokens } = request;
  return {
    ...model.sampling,
    ...request.sampling,
    model: isForced(toolChoice) ? requiringTool(sdkModel, ai, nameIn(toolChoice)) : sdkModel,
    messages: takenBack(request.messages, request.providerTools),
    allowSystemInMessages: true,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(model.reasoning !== undefined && request.withoutThinking !== true && { reasoning: model.reasoning }),
    ...(toolChoice === 'none' && hasTools && { toolChoice }),
    abortSignal: signal,
    // URLs can come from strangers, and from this machine they could reach internal services. The
    // provider must fetch them.
    download: (files) => Promise.resolve(files.map(() => null)),
    ...(providerOptions !== undefined && { providerOptions }),
    ...answerForm({ ...request, nativeSchema: request.nativeSchema?.schema, providerOptions }, ai),
    ...(hasTools && { tools }),
  };
}

type ToolChoice = NonNullable<StepRequest['toolChoice']>;

function isForced(choice: ToolChoice): boolean {
  return choice === 'required' || typeof choice === 'object';
}

function nameIn(choice: ToolChoice): string | undefined {
  return typeof choice === 'object' ? choice.name : undefined;
}

/** Without `execute`, so that the SDK returns calls and runs nothing. */
function toolSet({ model, tools, providerTools = {} }: StepRequest, ai: Sdk): ToolSet {
  const own = tools.map(({ name, description, inputSchema, strict }): [string, Tool] => [
    name,
    ai.tool({
      inputSchema: ai.jsonSchema(sentToolSchema(inputSchema, model.model)),
      ...(description !== '' && { description }),
      ...(strict !== undefined && { strict }),
    }),
  ]);
  const provided = Object.entries(providerTools).map(([name, { tool }]): [string, ToolSet[string]] => [
    name,
    tool,
  ]);
  return { ...Object.fromEntries(provided), ...Object.fromEntries(own) };
}

/**
 * Anthropic pauses when its own tools take longer than one reply, and continues when its text is
 * sent back.
 */
const PAUSED = 'pause_turn';

function toFinishReason({
  finishReason: reason,
  rawFinishReason,
}: {
  readonly finishReason: string;
  readonly rawFinishReason: string | undefined;
}): RowFinish {
  if (rawFinishReason === PAUSED) return 'tool_calls';
  return isKnownReason(reason) ? FINISH_REASONS[reason] : 'other';
}

function isKnownReason(reason: string): reason is keyof typeof FINISH_REASONS {
  return Object.hasOwn(FINISH_REASONS, reason);
}

/** Rejections by the service, and our own errors, pass unchanged. */
function brokenOff(error: unknown): unknown {
  const own = ownErrorIn(error);
  if (own !== undefined) return own;
  const hasStatus = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';
  if (hasStatus && Number(error.statusCode) >= 400) return error;
  if (error instanceof Error && error.name.startsWith('AI_') && error.name !== 'AI_APICallError') {
    return error;
  }
  const unreached = unreachable(error);
  if (unreached !== undefined) return unreached;
  return new ModelError("The model's answer ended early. The turn retries the call.", {
    code: 'stream',
    cause: error,
  });
}
