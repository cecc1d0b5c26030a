/**
 * Requests one reply by the best step of the ladder, and by a lower one if the service refuses it.
 */
import type { ModelMessage } from 'ai';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { callSpan, replyAttributes } from './call-span.ts';
import type { ModelMode } from './answer-mode.ts';
import { askPatiently } from '../call/ask-patiently.ts';
import { openModelMode, openSteps, schemaText, type Conversation, type ModeReply } from './conversation.ts';
import { tellAnswered, tellFailed } from './tell-call.ts';
import { settingsOf } from '../call/model-settings.ts';
import { requestReply, saidIn, type ModelReply } from '../call/model-reply.ts';
import type { ReplyRequest } from '../call/sdk-request.ts';
import { arrive, descend } from '../ladder/climb.ts';
import { engineOf, recordRefusal, type Engine } from '../ladder/engine.ts';
import { familyOf, type LadderStep } from '../ladder/ladder.ts';
import { isKnownRefusal } from '../ladder/read-refusal.ts';
import { createPreview } from './preview.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Tries each open step. Rejects with the error of the last one. */
export async function askForReply(conversation: Conversation): Promise<ModeReply> {
  const { options, climb } = conversation;
  const { model, output, signal } = options;
  for (;;) {
    const [step, ...lower] = openSteps(conversation);
    if (step === undefined) {
      throw climb.failure ?? new SchemaError(NO_MODE, { code: 'unsupported', path: [] });
    }
    const isLast = lower.length === 0;
    const run = (): Promise<ModeReply | undefined> => tryStep(conversation, step, isLast);
    const engine = engineOf(model);
    const routed = isLast ? await run() : await probeStep({ engine, step, signal, run });
    if (routed === undefined) continue;
    conversation.mode = routed.mode;
    arrive(climb, { model, schema: () => schemaText(output) });
    return routed;
  }
}

const NO_MODE = 'No mode supports the schema. Change it, or set `tag`.';

/** Returns undefined if another request should be tried. */
async function tryStep(
  conversation: Conversation,
  step: LadderStep,
  isLast: boolean,
): Promise<ModeReply | undefined> {
  // Another call can have learned it in the meantime.
  if (!openSteps(conversation).includes(step)) return undefined;
  const { options, climb } = conversation;
  const { model, output } = options;
  const schema = (): string => schemaText(output);
  try {
    const routed = await askByMode(conversation, openModelMode(conversation, step));
    if (!routed.reply.droppedSchema || isLast) return routed;
    const drops = ['schema', 'object'] as const;
    recordRefusal(engineOf(model), { step, schema: schema() }, { type: 'step', drops });
    climb.refused.push(step, ...drops);
    await tellAnswered(conversation, routed, 'unsupported');
  } catch (error) {
    // A part that the dialect cannot express is not sent in the other form either.
    if (SchemaError.isInstance(error) && !isLast) climb.refused.push(...familyOf(step));
    else if (!descend(climb, error, { model, step, schema, isLast })) throw error;
  }
  return undefined;
}

/** Requests one reply by a mode, with transport retries. Rejects with the provider's error. */
export async function askByMode(conversation: Conversation, mode: ModelMode): Promise<ModeReply> {
  const { signal } = conversation.options;
  const routed = await askPatiently(() => requestOnce(conversation, mode), {
    signal,
    isFinal: (error) => isKnownRefusal(error, mode.step),
  });
  const { usage } = routed.reply;
  if (usage !== undefined) conversation.usages.push(usage);
  conversation.received = saidIn(routed.reply);
  return routed;
}

async function requestOnce(conversation: Conversation, mode: ModelMode): Promise<ModeReply> {
  const { options, settings, later } = conversation;
  const { model, signal } = options;
  // The SDK validates messages itself, with its own schema.
  const asked = settings.messages as readonly ModelMessage[];
  const opened = mode.open(asked, conversation.isTold);
  const preview = createPreview(conversation, mode);
  const startedAtMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedAtMs);
  try {
    const reply = await tracedReply(conversation, {
      ...mode.request,
      model,
      messages: [...opened, ...later],
      ...settingsOf(options),
      ...(options.seed !== undefined && { seed: options.seed + conversation.renewals }),
      signal,
      ...(preview !== undefined && { onDelta: preview.push }),
    });
    preview?.end();
    return { reply, mode, durationMs: elapsedMs() };
  } catch (error) {
    await tellFailed(conversation, { error, step: mode.step, durationMs: elapsedMs() });
    throw error;
  }
}

function tracedReply({ trace }: Conversation, request: ReplyRequest): Promise<ModelReply> {
  return trace(callSpan(request.model), async (span) => {
    const reply = await requestReply(request);
    span.set(replyAttributes(reply));
    return reply;
  });
}

/**
 * A rejection arrives before the first token. After this wait a call continues, because the other
 * is receiving an answer.
 */
const MAX_WAIT_MS = 2_000;

const probes = new WeakMap<Engine, Map<LadderStep, Promise<unknown>>>();

interface StepAttempt<TResult> {
  readonly engine: Engine;
  readonly step: LadderStep;
  readonly signal: AbortSignal | undefined;
  run(): Promise<TResult>;
}

/**
 * Runs an attempt, after a running probe if the step is not proven: of concurrent calls one tries the
 * step, the others wait for its result. Rejects as `run` does, or with the signal's reason.
 */
async function probeStep<TResult>(attempt: StepAttempt<TResult>): Promise<TResult> {
  const { engine, step, signal } = attempt;
  const underWay = probes.get(engine) ?? new Map<LadderStep, Promise<unknown>>();
  probes.set(engine, underWay);
  const probe = engine.standing.proven.has(step) ? undefined : underWay.get(step);
  if (probe !== undefined) await waitFor(probe, signal);
  const result = attempt.run();
  const forget = (): void => void underWay.delete(step);
  underWay.set(step, result.then(forget, forget));
  return result;
}

async function waitFor(probe: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  const ended = new AbortController();
  const signals = signal === undefined ? [ended.signal] : [ended.signal, signal];
  const patience = sleep(MAX_WAIT_MS, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
  await Promise.race([probe, patience]);
  ended.abort();
  signal?.throwIfAborted();
}
