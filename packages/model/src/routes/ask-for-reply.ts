/**
 * Route fallback: requests one reply by the best supported route, and a lower one if the service
 * rejects it.
 */
import type { ModelMessage } from 'ai';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { makeRoute, type AnswerRoute } from './answer-route.ts';
import { askPatiently } from '../call/ask-patiently.ts';
import type { Conversation, RoutedReply } from './conversation.ts';
import { tellAnswered, tellFailed } from './tell-call.ts';
import type { GenerateMessage, GenerateRoute } from '../call/generate-options.ts';
import { requestReply, saidIn } from '../call/model-reply.ts';
import { createPreview } from './preview.ts';
import { probeRoute } from './route-probe.ts';
import { refusalOf, rememberUnsupported, supportedRoutes } from './route-support.ts';

/** Tries each viable route. Rejects with the error of the last one. */
export async function askForReply(conversation: Conversation, attempt: number): Promise<RoutedReply> {
  const { options, settings } = conversation;
  if (conversation.route !== undefined) {
    return ask(conversation, conversation.route, attempt);
  }
  const { model, signal } = options;
  const names = settings.route === 'auto' ? supportedRoutes(model) : [settings.route];
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const run = (): Promise<RoutedReply | undefined> => tryRoute(conversation, { name, isLast, attempt });
    const routed = isLast ? await run() : await probeRoute({ model, route: name, signal, run });
    if (routed === undefined) continue;
    conversation.route = routed.route;
    return routed;
  }
  return undefinedRoute();
}

function undefinedRoute(): never {
  throw new SchemaError('No route supports the schema. Change it, or give the output a `tag`.', {
    code: 'unsupported',
    path: [],
  });
}

interface RouteTry {
  readonly name: GenerateRoute;
  readonly isLast: boolean;
  readonly attempt: number;
}

/** Returns undefined if the next route should be tried. */
async function tryRoute(
  conversation: Conversation,
  { name, isLast, attempt }: RouteTry,
): Promise<RoutedReply | undefined> {
  const { model, output } = conversation.options;
  // Another call can have learned it in the meantime.
  if (!isLast && !supportedRoutes(model).includes(name)) return undefined;
  try {
    const route = makeRoute(name, output, model);
    const routed = await ask(conversation, route, attempt);
    if (!routed.reply.droppedSchema || isLast) return routed;
    rememberUnsupported(model, name);
    await tellAnswered(conversation, routed, 'unsupported');
    return undefined;
  } catch (error) {
    if (isLast) throw error;
    const refusal = SchemaError.isInstance(error) ? 'schema' : refusalOf(error, name);
    if (refusal === undefined) throw error;
    if (refusal === 'unsupported') rememberUnsupported(model, name);
    return undefined;
  }
}

async function ask(conversation: Conversation, route: AnswerRoute, attempt: number): Promise<RoutedReply> {
  const { signal } = conversation.options;
  const routed = await askPatiently(() => requestOnce(conversation, route, attempt), {
    signal,
    isFinal: (error) => refusalOf(error, route.name) !== undefined,
  });
  conversation.usages.push(routed.reply.usage);
  conversation.received = saidIn(routed.reply);
  return routed;
}

async function requestOnce(
  conversation: Conversation,
  route: AnswerRoute,
  attempt: number,
): Promise<RoutedReply> {
  const { options, settings, later } = conversation;
  const { model, signal, maxOutputTokens, temperature } = options;
  // The SDK validates messages itself, with its own schema.
  const opened = route.open(settings.messages) as readonly (GenerateMessage & ModelMessage)[];
  const preview = createPreview(options, route, attempt);
  const startedAtMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedAtMs);
  try {
    const reply = await requestReply({
      ...route.request,
      model,
      messages: [...opened, ...later],
      signal,
      maxOutputTokens,
      temperature,
      ...(preview !== undefined && { onDelta: preview }),
    });
    return { reply, route, durationMs: elapsedMs() };
  } catch (error) {
    await tellFailed(conversation, { error, route: route.name, durationMs: elapsedMs() });
    throw error;
  }
}
