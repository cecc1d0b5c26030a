/**
 * Route fallback: requests one reply by the best supported route, and a lower one if the service
 * rejects it.
 */
import type { ModelMessage } from 'ai';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { callSpan, replyAttributes } from './answer-span.ts';
import type { AnswerRoute } from './answer-route.ts';
import { askPatiently } from '../call/ask-patiently.ts';
import { openRoute, type Conversation, type RoutedReply } from './conversation.ts';
import { tellAnswered, tellFailed } from './tell-call.ts';
import { settingsOf } from '../call/model-settings.ts';
import type { GenerateMessage, GenerateRoute } from '../call/generate-options.ts';
import { requestReply, saidIn, type ModelReply, type ReplyRequest } from '../call/model-reply.ts';
import { createPreview } from './preview.ts';
import { probeRoute } from './route-probe.ts';
import {
  refusalOf,
  rememberNoJsonMode,
  canDoubtSchema,
  rememberNoLengths,
  rememberRefusedSchema,
  rememberUnsupported,
  supportedRoutes,
} from './route-support.ts';
import { refusesLengths } from './string-lengths.ts';

/** Tries each viable route. Rejects with the error of the last one. */
export async function askForReply(conversation: Conversation, attempt: number): Promise<RoutedReply> {
  const { options, settings } = conversation;
  if (conversation.route !== undefined) {
    return ask(conversation, conversation.route, attempt);
  }
  const { model, signal } = options;
  const names = settings.route === 'auto' ? supportedRoutes(model, options.output) : [settings.route];
  const doubt: Doubt = { isOpen: false };
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const run = (): Promise<RoutedReply | undefined> =>
      tryRoute(conversation, { name, isLast, attempt, doubt });
    const routed = isLast ? await run() : await probeRoute({ model, route: name, signal, run });
    if (routed === undefined) continue;
    conversation.route = routed.route;
    if (doubt.isOpen) rememberRefusedSchema(model, options.output);
    return routed;
  }
  return undefinedRoute();
}

function undefinedRoute(): never {
  throw new SchemaError('No route supports the schema. Change it, or set `tag`.', {
    code: 'unsupported',
    path: [],
  });
}

/** Open after a refusal without a known reason: the next route shows whether the schema was it. */
interface Doubt {
  isOpen: boolean;
}

interface RouteTry {
  readonly name: GenerateRoute;
  readonly isLast: boolean;
  readonly attempt: number;
  readonly doubt: Doubt;
}

/** Returns undefined if the next route should be tried. */
async function tryRoute(
  conversation: Conversation,
  { name, isLast, attempt, doubt }: RouteTry,
): Promise<RoutedReply | undefined> {
  const { model } = conversation.options;
  // Another call can have learned it in the meantime.
  if (!isLast && !supportedRoutes(model).includes(name)) return undefined;
  try {
    const route = openRoute(conversation, name);
    const routed = await ask(conversation, route, attempt);
    if (!routed.reply.droppedSchema || isLast) return routed;
    rememberUnsupported(model, name);
    await tellAnswered(conversation, routed, 'unsupported');
    return undefined;
  } catch (error) {
    if (isLast) throw error;
    const refusal = SchemaError.isInstance(error) ? 'schema' : refusalOf(error, name);
    if (refusal === undefined) {
      if (doubt.isOpen || !canDoubtSchema(name, error)) throw error;
      doubt.isOpen = true;
    }
    if (refusal === 'unsupported') rememberUnsupported(model, name);
    return undefined;
  }
}

async function ask(conversation: Conversation, route: AnswerRoute, attempt: number): Promise<RoutedReply> {
  const { model, signal } = conversation.options;
  const isJsonMode = route.request.isJsonMode === true;
  const refusal = (error: unknown): unknown => refusalOf(error, refusedAs(route));
  let routed: RoutedReply;
  try {
    routed = await askPatiently(() => requestOnce(conversation, route, attempt), {
      signal,
      isFinal: (error) => refusal(error) !== undefined || refusesLengths(error),
    });
  } catch (error) {
    const { schemaWithoutLengths, ...rest } = route;
    if (schemaWithoutLengths !== undefined && refusesLengths(error)) {
      rememberNoLengths(model);
      return ask(conversation, { ...rest, request: { nativeSchema: schemaWithoutLengths } }, attempt);
    }
    if (!isJsonMode || refusal(error) === undefined) throw error;
    rememberNoJsonMode(model);
    return ask(conversation, { ...route, request: {} }, attempt);
  }
  conversation.usages.push(routed.reply.usage);
  conversation.received = saidIn(routed.reply);
  return routed;
}

/** Services name a refused JSON mode as they name a refused schema mode. */
function refusedAs({ name, request }: AnswerRoute): GenerateRoute {
  return request.isJsonMode === true ? 'native' : name;
}

async function requestOnce(
  conversation: Conversation,
  route: AnswerRoute,
  attempt: number,
): Promise<RoutedReply> {
  const { options, settings, later } = conversation;
  const { model, signal } = options;
  // The SDK validates messages itself, with its own schema.
  const opened = route.open(settings.messages) as readonly (GenerateMessage & ModelMessage)[];
  const preview = createPreview(options, route, attempt);
  const startedAtMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedAtMs);
  try {
    const reply = await tracedReply(conversation, {
      ...route.request,
      model,
      messages: [...opened, ...later],
      ...settingsOf(options),
      signal,
      ...(preview !== undefined && { onDelta: preview }),
    });
    return { reply, route, durationMs: elapsedMs() };
  } catch (error) {
    await tellFailed(conversation, { error, route: refusedAs(route), durationMs: elapsedMs() });
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
