/**
 * Requests one reply by the best step of the ladder, and by a lower one if the service refuses it.
 */
import type { ModelMessage } from 'ai';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { callSpan, replyAttributes } from './answer-span.ts';
import type { AnswerRoute, RouteStep } from './answer-route.ts';
import { askPatiently } from '../call/ask-patiently.ts';
import { openRoute, openSteps, schemaText, type Conversation, type RoutedReply } from './conversation.ts';
import { tellAnswered, tellFailed } from './tell-call.ts';
import { settingsOf } from '../call/model-settings.ts';
import type { GenerateMessage } from '../call/generate-options.ts';
import { requestReply, saidIn, type ModelReply, type ReplyRequest } from '../call/model-reply.ts';
import { engineOf, recordRefusal } from '../ladder/engine.ts';
import { familyOf, type LadderStep } from '../ladder/ladder.ts';
import { probeStep } from '../ladder/probe-step.ts';
import { isKnownRefusal, readRefusal, type StepRefusal } from '../ladder/read-refusal.ts';
import { createPreview } from './preview.ts';
import { refusesLengths } from './string-lengths.ts';

/** Tries each open step. Rejects with the error of the last one. */
export async function askForReply(conversation: Conversation, attempt: number): Promise<RoutedReply> {
  const { model, output, signal } = conversation.options;
  const engine = engineOf(model);
  const climb: Climb = { tried: new Set(), doubted: undefined, failure: undefined };
  for (;;) {
    const [step, ...lower] = openSteps(conversation).filter((each) => !climb.tried.has(each));
    if (step === undefined) throw climb.failure ?? undefinedRoute();
    climb.tried.add(step);
    const isLast = lower.length === 0;
    const run = (): Promise<RoutedReply | undefined> =>
      tryStep(conversation, { step, isLast, attempt, climb });
    const routed = step === 'tag' || isLast ? await run() : await probeStep({ engine, step, signal, run });
    if (routed === undefined) continue;
    conversation.route = routed.route;
    if (climb.doubted !== undefined)
      recordRefusal(engine, { step: climb.doubted, schema: schemaText(output) }, { type: 'doubt' });
    return routed;
  }
}

function undefinedRoute(): SchemaError {
  return new SchemaError('No route supports the schema. Change it, or set `tag`.', {
    code: 'unsupported',
    path: [],
  });
}

/** The way down the ladder for one reply. */
interface Climb {
  readonly tried: Set<RouteStep>;
  /** The step of a refusal without a known reason. The next reply shows whether the schema was it. */
  doubted: LadderStep | undefined;
  /** The last refusal. It is reported if no step is left. */
  failure: unknown;
}

interface StepTry {
  readonly step: RouteStep;
  readonly isLast: boolean;
  readonly attempt: number;
  readonly climb: Climb;
}

/** Returns undefined if the next step should be tried. */
async function tryStep(
  conversation: Conversation,
  { step, isLast, attempt, climb }: StepTry,
): Promise<RoutedReply | undefined> {
  // Another call can have learned it in the meantime.
  if (!openSteps(conversation).includes(step)) return undefined;
  try {
    const route = step === conversation.route?.step ? conversation.route : openRoute(conversation, step);
    const routed = await ask(conversation, route, attempt);
    if (!routed.reply.droppedSchema || isLast || step === 'tag') return routed;
    descend(conversation, { step, climb }, { type: 'step', drops: ['schema', 'object'] });
    await tellAnswered(conversation, routed, 'unsupported');
    return undefined;
  } catch (error) {
    if (isLast || step === 'tag') throw error;
    // What the dialect cannot express is not sent in the other form either.
    if (SchemaError.isInstance(error)) return skipFamily(climb, step);
    const refusal = readRefusal(error, step);
    if (refusal === undefined || (refusal.type === 'doubt' && climb.doubted !== undefined)) throw error;
    climb.failure = error;
    descend(conversation, { step, climb }, refusal);
    return undefined;
  }
}

function descend(
  { options: { model, output } }: Conversation,
  { step, climb }: { readonly step: LadderStep; readonly climb: Climb },
  refusal: StepRefusal,
): void {
  if (refusal.type === 'doubt') climb.doubted = step;
  else recordRefusal(engineOf(model), { step, schema: schemaText(output) }, refusal);
  if (refusal.type !== 'step') skipFamily(climb, step);
}

function skipFamily({ tried }: Climb, step: LadderStep): undefined {
  for (const each of familyOf(step)) tried.add(each);
}

async function ask(conversation: Conversation, route: AnswerRoute, attempt: number): Promise<RoutedReply> {
  const { model, signal } = conversation.options;
  let routed: RoutedReply;
  try {
    routed = await askPatiently(() => requestOnce(conversation, route, attempt), {
      signal,
      isFinal: (error) => isKnownRefusal(error, route.step) || refusesLengths(error),
    });
  } catch (error) {
    const { strictSchema, ...rest } = route;
    if (strictSchema === undefined || !refusesLengths(error)) throw error;
    engineOf(model).hasNoLengths = true;
    const request = { ...route.request, nativeSchema: strictSchema };
    return ask(conversation, { ...rest, request }, attempt);
  }
  const { usage } = routed.reply;
  if (usage !== undefined) conversation.usages.push(usage);
  conversation.received = saidIn(routed.reply);
  return routed;
}

async function requestOnce(
  conversation: Conversation,
  route: AnswerRoute,
  attempt: number,
): Promise<RoutedReply> {
  const { options, settings, later } = conversation;
  const { model, signal } = options;
  // The SDK validates messages itself, with its own schema.
  const asked = conversation.isTold ? route.tell(settings.messages) : route.open(settings.messages);
  const opened = asked as readonly (GenerateMessage & ModelMessage)[];
  const preview = createPreview(options, route, attempt);
  const startedAtMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedAtMs);
  try {
    const reply = await tracedReply(conversation, {
      ...route.request,
      model,
      messages: [...opened, ...later],
      ...settingsOf(options),
      ...(options.seed !== undefined && { seed: options.seed + conversation.renewals }),
      signal,
      ...(preview !== undefined && { onDelta: preview }),
    });
    return { reply, route, durationMs: elapsedMs() };
  } catch (error) {
    await tellFailed(conversation, { error, step: route.step, durationMs: elapsedMs() });
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
